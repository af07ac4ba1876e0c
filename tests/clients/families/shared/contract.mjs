// What the tests give to a driver, and what each scenario asks. The words are those of contract.py.

export const PROVIDER = process.env.DRIFTD_PROVIDER_URL;
export const OTLP = process.env.DRIFTD_OTLP_URL;
export const TOKEN = process.env.DRIFTD_TOKEN;
export const SERVICE = process.env.DRIFTD_SERVICE;
export const CONVERSATION = process.env.DRIFTD_CONVERSATION;

export const MODEL = 'gpt-4o-mini';
export const SYSTEM = 'You answer questions of customers of a shop for kettles.';
export const QUESTION = 'May I return a used kettle?';
export const SECOND = 'And without the receipt?';
export const PARALLEL = ['Is the red kettle in stock?', 'Is the blue kettle in stock?', 'Is the grey kettle in stock?'];
export const WEATHER_QUESTION = 'What is the weather in Paris?';
export const WEATHER = '19 degrees and dry';
export const TOOL_NAME = 'get_weather';
export const TOOL_DESCRIPTION = 'The weather in a city.';
export const TOOL_PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
export const [TEMPERATURE, TOP_P, MAX_TOKENS, SEED] = [0.2, 0.9, 256, 7];
export const READ_OF_ABANDONED = 6; // pieces of the stream that is left in the middle

/** Run the scenario that is named on the command line, then flush what is left to send. */
export async function run(scenarios, flush) {
  const scenario = process.argv[2];
  await scenarios[scenario]();
  await settled(scenario);
  await flush();
}

/** An application goes on: an instrumentation ends its spans later, and may read a stream that the application left. */
const settled = (scenario) => new Promise((resolve) => setTimeout(resolve, scenario.includes('abandoned') ? 3000 : 200));

/** Fail when the provider refused and the client did not say so. */
export async function refused(call) {
  const answer = await call.catch(() => 'refused');
  if (answer !== 'refused') throw new Error('the provider rejected the call, and the client reports no error');
}
