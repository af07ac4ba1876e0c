// The scenarios with OpenAI's own client. Whatever instruments it does so before the client is made.

import * as contract from './contract.mjs';

const TOOL = {
  type: 'function',
  function: { name: contract.TOOL_NAME, description: contract.TOOL_DESCRIPTION, parameters: contract.TOOL_PARAMETERS },
};
const OPTIONS = {
  model: contract.MODEL,
  temperature: contract.TEMPERATURE,
  top_p: contract.TOP_P,
  max_tokens: contract.MAX_TOKENS,
  seed: contract.SEED,
};
const STREAMED = { stream: true, stream_options: { include_usage: true } };

const user = (content) => ({ role: 'user', content });
const messages = (...questions) => [{ role: 'system', content: contract.SYSTEM }, ...questions.map(user)];

export const settings = { baseURL: `${contract.PROVIDER}/v1`, apiKey: 'none' };

export const plain = (client, question = contract.QUESTION) =>
  client.chat.completions.create({ ...OPTIONS, messages: messages(question) });

/** All of it, or a few pieces before the client goes away. */
async function stream(client, read) {
  const pieces = await client.chat.completions.create({ ...OPTIONS, ...STREAMED, messages: messages(contract.QUESTION) });
  let number = 0;
  for await (const _ of pieces) {
    number += 1;
    if (number === read) break;
  }
}

async function tool(client) {
  const asked = messages(contract.WEATHER_QUESTION);
  const answer = (await client.chat.completions.create({ ...OPTIONS, messages: asked, tools: [TOOL] })).choices[0].message;
  const result = { role: 'tool', tool_call_id: answer.tool_calls[0].id, content: contract.WEATHER };
  await client.chat.completions.create({ ...OPTIONS, messages: [...asked, answer, result], tools: [TOOL] });
}

async function turns(client) {
  const asked = messages(contract.QUESTION);
  const answer = (await client.chat.completions.create({ ...OPTIONS, messages: asked })).choices[0].message;
  await client.chat.completions.create({ ...OPTIONS, messages: [...asked, answer, user(contract.SECOND)] });
}

const responses = (client, more) =>
  client.responses.create({
    model: contract.MODEL,
    instructions: contract.SYSTEM,
    input: contract.QUESTION,
    temperature: contract.TEMPERATURE,
    top_p: contract.TOP_P,
    max_output_tokens: contract.MAX_TOKENS,
    ...more,
  });

async function responsesStream(client) {
  for await (const _ of await responses(client, { stream: true }));
}

export const scenarios = (client) => ({
  plain: () => plain(client),
  stream: () => stream(client),
  tool: () => tool(client),
  retry: () => plain(client),
  error: () => contract.refused(plain(client)),
  abandoned: () => stream(client, contract.READ_OF_ABANDONED),
  parallel: () => Promise.all(contract.PARALLEL.map((question) => plain(client, question))),
  turns: () => turns(client),
  responses: () => responses(client),
  responses_stream: () => responsesStream(client),
});
