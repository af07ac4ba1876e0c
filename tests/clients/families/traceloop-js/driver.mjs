// OpenAI's client with Traceloop's SDK, as its page sets it up for imports.
import * as traceloop from '@traceloop/node-server-sdk';
import OpenAI from 'openai';

import * as contract from './contract.mjs';
import { scenarios, settings } from './openai_calls.mjs';

traceloop.initialize({
  appName: contract.SERVICE,
  baseUrl: contract.OTLP,
  apiKey: contract.TOKEN,
  instrumentModules: { openAI: OpenAI },
});

const all = scenarios(new OpenAI(settings));
const turns = () => traceloop.withAssociationProperties({ session_id: contract.CONVERSATION }, all.turns);
await contract.run({ ...all, turns }, traceloop.forceFlush);
