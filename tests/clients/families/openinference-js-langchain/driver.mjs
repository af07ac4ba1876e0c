// LangChain with OpenInference's instrumentation, as its page sets it up.
import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain';
import * as callbacks from '@langchain/core/callbacks/manager';
import { HumanMessage, SystemMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { z } from 'zod';

import * as contract from './contract.mjs';

const sdk = new NodeSDK();
sdk.start();
new LangChainInstrumentation().manuallyInstrument(callbacks);

const model = new ChatOpenAI({
  model: contract.MODEL,
  temperature: contract.TEMPERATURE,
  topP: contract.TOP_P,
  maxTokens: contract.MAX_TOKENS,
  modelKwargs: { seed: contract.SEED },
  apiKey: 'none',
  configuration: { baseURL: `${contract.PROVIDER}/v1` },
});
const messages = (...questions) => [new SystemMessage(contract.SYSTEM), ...questions.map((q) => new HumanMessage(q))];
const plain = (question = contract.QUESTION) => model.invoke(messages(question));

/** All of it, or a few pieces before the client goes away. */
async function stream(read) {
  let number = 0;
  for await (const _ of await model.stream(messages(contract.QUESTION))) {
    number += 1;
    if (number === read) break;
  }
}

async function callTool() {
  const weather = tool(async () => contract.WEATHER, {
    name: contract.TOOL_NAME,
    description: contract.TOOL_DESCRIPTION,
    schema: z.object({ city: z.string() }),
  });
  const withTools = model.bindTools([weather]);
  const asked = messages(contract.WEATHER_QUESTION);
  const answer = await withTools.invoke(asked);
  await withTools.invoke([...asked, answer, await weather.invoke(answer.tool_calls[0])]);
}

async function turns() {
  const asked = messages(contract.QUESTION);
  const config = { metadata: { session_id: contract.CONVERSATION } };
  const answer = await model.invoke(asked, config);
  await model.invoke([...asked, answer, new HumanMessage(contract.SECOND)], config);
}

const scenarios = {
  plain: () => plain(),
  stream: () => stream(),
  tool: callTool,
  retry: () => plain(),
  error: () => contract.refused(plain()),
  abandoned: () => stream(contract.READ_OF_ABANDONED),
  parallel: () => Promise.all(contract.PARALLEL.map((question) => plain(question))),
  turns,
};
await contract.run(scenarios, () => sdk.shutdown());
