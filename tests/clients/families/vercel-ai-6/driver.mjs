// Vercel's AI SDK with the telemetry that it has built in.
import { createOpenAI } from '@ai-sdk/openai';
import { NodeSDK } from '@opentelemetry/sdk-node';
import * as ai from 'ai';
import { z } from 'zod';

import * as contract from './contract.mjs';

const sdk = new NodeSDK();
sdk.start();

const openai = createOpenAI({ baseURL: `${contract.PROVIDER}/v1`, apiKey: 'none' });
const common = {
  model: openai.chat(contract.MODEL),
  system: contract.SYSTEM,
  temperature: contract.TEMPERATURE,
  topP: contract.TOP_P,
  maxOutputTokens: contract.MAX_TOKENS,
  seed: contract.SEED,
  experimental_telemetry: { isEnabled: true },
};
const plain = (prompt = contract.QUESTION) => ai.generateText({ ...common, prompt });

async function stream() {
  for await (const _ of ai.streamText({ ...common, prompt: contract.QUESTION }).textStream);
}

function tool() {
  const weather = ai.tool({
    description: contract.TOOL_DESCRIPTION,
    inputSchema: z.object({ city: z.string() }),
    execute: async () => contract.WEATHER,
  });
  const tools = { [contract.TOOL_NAME]: weather };
  return ai.generateText({ ...common, prompt: contract.WEATHER_QUESTION, tools, stopWhen: ai.stepCountIs(2) });
}

async function abandoned() {
  const controller = new AbortController();
  let pieces = 0;
  const { textStream } = ai.streamText({ ...common, prompt: contract.QUESTION, abortSignal: controller.signal });
  for await (const _ of textStream) {
    pieces += 1;
    if (pieces === contract.READ_OF_ABANDONED) controller.abort();
  }
}

async function turns() {
  const metadata = { sessionId: contract.CONVERSATION };
  const options = { ...common, experimental_telemetry: { isEnabled: true, metadata } };
  const messages = [{ role: 'user', content: contract.QUESTION }];
  const { text } = await ai.generateText({ ...options, messages });
  messages.push({ role: 'assistant', content: text }, { role: 'user', content: contract.SECOND });
  await ai.generateText({ ...options, messages });
}

const scenarios = {
  plain: () => plain(),
  stream,
  tool,
  retry: () => plain(),
  error: () => contract.refused(plain()),
  abandoned,
  parallel: () => Promise.all(contract.PARALLEL.map((question) => plain(question))),
  turns,
};
await contract.run(scenarios, () => sdk.shutdown());
