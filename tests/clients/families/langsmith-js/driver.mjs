// OpenAI's client in LangSmith's wrapper, exported over OpenTelemetry.
import { trace } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { Client } from 'langsmith';
import { LangSmithOTLPTraceExporter } from 'langsmith/experimental/otel/exporter';
import { LangSmithOTLPSpanProcessor } from 'langsmith/experimental/otel/processor';
import { initializeOTEL } from 'langsmith/experimental/otel/setup';
import { traceable } from 'langsmith/traceable';
import { wrapOpenAI } from 'langsmith/wrappers';
import OpenAI from 'openai';

import * as contract from './contract.mjs';
import { scenarios, settings } from './openai_calls.mjs';

Object.assign(process.env, {
  LANGSMITH_TRACING: 'true',
  LANGSMITH_TRACING_MODE: 'otel',
  LANGSMITH_ENDPOINT: contract.OTLP,
  LANGSMITH_API_KEY: contract.TOKEN,
});
const provider = new BasicTracerProvider({
  resource: resourceFromAttributes({ 'service.name': contract.SERVICE }),
  spanProcessors: [new LangSmithOTLPSpanProcessor(new LangSmithOTLPTraceExporter())],
});
trace.setGlobalTracerProvider(provider);
initializeOTEL({ globalTracerProvider: provider });

const client = new Client();
const openai = wrapOpenAI(new OpenAI(settings), { client });
const all = scenarios(openai);
const metadata = { session_id: contract.CONVERSATION };
const turns = traceable(all.turns, { name: 'support', client, metadata });

await contract.run({ ...all, turns }, async () => {
  await client.awaitPendingTraceBatches();
  await provider.shutdown();
});
