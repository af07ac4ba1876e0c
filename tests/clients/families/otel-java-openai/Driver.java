import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.errors.BadRequestException;
import com.openai.errors.OpenAIInvalidDataException;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessage;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** OpenAI's client for Java. OpenTelemetry's agent instruments it without a word here, from the variables of its page. */
final class Driver {
    private static final OpenAIClient CLIENT =
        OpenAIOkHttpClient.builder().baseUrl(Contract.PROVIDER + "/v1").apiKey("none").build();

    public static void main(String[] words) throws Exception {
        Contract.run(
            Map.of(
                "plain", () -> plain(Contract.QUESTION),
                "stream", () -> stream(Integer.MAX_VALUE),
                "tool", Driver::tool,
                "retry", () -> plain(Contract.QUESTION),
                "error", () -> Contract.fails(BadRequestException.class, () -> plain(Contract.QUESTION)),
                "abandoned", Driver::abandoned,
                "parallel", Driver::parallel,
                "turns", Driver::turns,
                "async", Driver::async),
            words[0]);
    }

    private static ChatCompletionCreateParams.Builder asked(String question) {
        return ChatCompletionCreateParams.builder()
            .model(Contract.MODEL)
            .temperature(Contract.TEMPERATURE)
            .topP(Contract.TOP_P)
            .maxCompletionTokens(Contract.MAX_TOKENS)
            .seed(Contract.SEED)
            .addSystemMessage(Contract.SYSTEM)
            .addUserMessage(question);
    }

    private static ChatCompletionMessage call(ChatCompletionCreateParams.Builder asked) {
        return CLIENT.chat().completions().create(asked.build()).choices().get(0).message();
    }

    private static void plain(String question) {
        call(asked(question));
    }

    /** All of it, or a few pieces before the client goes away. */
    private static void stream(int read) {
        var usage = ChatCompletionStreamOptions.builder().includeUsage(true).build();
        var params = asked(Contract.QUESTION).streamOptions(usage).build();
        try (var pieces = CLIENT.chat().completions().createStreaming(params)) {
            pieces.stream().limit(read).forEach(piece -> {});
        }
    }

    /** The agent reads the finish reason when the stream is closed, and fails: there is none yet. */
    private static void abandoned() throws Exception {
        Contract.fails(OpenAIInvalidDataException.class, () -> stream(Contract.READ_OF_ABANDONED));
    }

    private static void tool() {
        var parameters = FunctionParameters.builder();
        Contract.TOOL_PARAMETERS.forEach((name, value) -> parameters.putAdditionalProperty(name, JsonValue.from(value)));
        var tool = FunctionDefinition.builder()
            .name(Contract.TOOL_NAME)
            .description(Contract.TOOL_DESCRIPTION)
            .parameters(parameters.build())
            .build();
        var asked = asked(Contract.WEATHER_QUESTION).addFunctionTool(tool);
        var said = call(asked);
        var result = ChatCompletionToolMessageParam.builder()
            .toolCallId(said.toolCalls().orElseThrow().get(0).asFunction().id())
            .content(Contract.WEATHER)
            .build();
        call(asked.addMessage(said).addMessage(result));
    }

    private static void parallel() {
        var calls = Contract.PARALLEL.stream()
            .map(question -> CompletableFuture.runAsync(() -> plain(question)))
            .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(calls).join();
    }

    private static void turns() {
        var asked = asked(Contract.QUESTION);
        call(asked.addMessage(call(asked)).addUserMessage(Contract.SECOND));
    }

    /** The client of futures, which the agent instruments by itself. */
    private static void async() {
        CompletableFuture<ChatCompletion> answer =
            CLIENT.async().chat().completions().create(asked(Contract.QUESTION).build());
        answer.join();
    }
}
