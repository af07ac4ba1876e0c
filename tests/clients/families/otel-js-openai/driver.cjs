// OpenAI's client with OpenTelemetry's instrumentation: spans, and messages as log events.
const { OpenAIInstrumentation } = require('@opentelemetry/instrumentation-openai');
const { NodeSDK } = require('@opentelemetry/sdk-node');

const sdk = new NodeSDK({ instrumentations: [new OpenAIInstrumentation()] });
sdk.start();

const OpenAI = require('openai');
const contract = require('./contract.mjs');
const { scenarios, settings } = require('./openai_calls.mjs');

contract.run(scenarios(new OpenAI(settings)), () => sdk.shutdown());
