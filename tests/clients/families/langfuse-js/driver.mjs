// OpenAI's client in Langfuse's wrapper, with a session, and a score of the trace.
import { LangfuseClient } from '@langfuse/client';
import { observeOpenAI } from '@langfuse/openai';
import { LangfuseSpanProcessor } from '@langfuse/otel';
import { getActiveTraceId, propagateAttributes, startActiveObservation } from '@langfuse/tracing';
import { NodeSDK } from '@opentelemetry/sdk-node';
import OpenAI from 'openai';

import * as contract from './contract.mjs';
import { plain, scenarios, settings } from './openai_calls.mjs';

Object.assign(process.env, {
  LANGFUSE_BASE_URL: contract.OTLP,
  LANGFUSE_PUBLIC_KEY: 'any',
  LANGFUSE_SECRET_KEY: contract.TOKEN,
});
const sdk = new NodeSDK({ spanProcessors: [new LangfuseSpanProcessor()] });
sdk.start();
const langfuse = new LangfuseClient();

const openai = observeOpenAI(new OpenAI(settings));
const all = scenarios(openai);
const inSession = (work) => propagateAttributes({ sessionId: contract.CONVERSATION }, work);

async function feedback() {
  await startActiveObservation('support', async () => {
    await plain(openai);
    langfuse.score.create({ traceId: getActiveTraceId(), name: 'user_feedback', value: 0, dataType: 'BOOLEAN' });
  });
  await langfuse.flush();
}

await contract.run({ ...all, turns: () => inSession(all.turns), feedback }, () => sdk.shutdown());
