// OpenAI's client with OpenInference's instrumentation, as its page sets it up.
import { setSession } from '@arizeai/openinference-core';
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';
import { context } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import OpenAI from 'openai';

import * as contract from './contract.mjs';
import { scenarios, settings } from './openai_calls.mjs';

const instrumentation = new OpenAIInstrumentation();
const sdk = new NodeSDK({ instrumentations: [instrumentation] });
sdk.start();
instrumentation.manuallyInstrument(OpenAI); // an import is not patched by itself

const all = scenarios(new OpenAI(settings));
const inSession = (work) => context.with(setSession(context.active(), { sessionId: contract.CONVERSATION }), work);
await contract.run({ ...all, turns: () => inSession(all.turns) }, () => sdk.shutdown());
