import java.util.List;
import java.util.Map;

/** What the tests give to a driver, and what each scenario asks. The words are those of contract.py. */
final class Contract {
    static final String PROVIDER = System.getenv("DRIFTD_PROVIDER_URL");
    static final String CONVERSATION = System.getenv("DRIFTD_CONVERSATION");

    static final String MODEL = "gpt-4o-mini";
    static final String SYSTEM = "You answer questions of customers of a shop for kettles.";
    static final String QUESTION = "May I return a used kettle?";
    static final String SECOND = "And without the receipt?";
    static final List<String> PARALLEL =
        List.of("Is the red kettle in stock?", "Is the blue kettle in stock?", "Is the grey kettle in stock?");
    static final String WEATHER_QUESTION = "What is the weather in Paris?";
    static final String WEATHER = "19 degrees and dry";
    static final String TOOL_NAME = "get_weather";
    static final String TOOL_DESCRIPTION = "The weather in a city.";
    static final Map<String, Object> TOOL_PARAMETERS = Map.of(
        "type", "object",
        "properties", Map.of("city", Map.of("type", "string")),
        "required", List.of("city"));
    static final double TEMPERATURE = 0.2;
    static final double TOP_P = 0.9;
    static final int MAX_TOKENS = 256;
    static final int SEED = 7;
    static final int READ_OF_ABANDONED = 6; // pieces of the stream that is left in the middle

    private Contract() {}

    interface Work {
        void run() throws Exception;
    }

    /** Run the scenario. The agent exports what is left when the process ends. */
    static void run(Map<String, Work> scenarios, String scenario) throws Exception {
        scenarios.get(scenario).run();
        System.exit(0); // the client's pool of threads would keep the process for a minute
    }

    /** Fail when the call does not fail as it is expected to. */
    static void fails(Class<? extends Exception> expected, Work call) throws Exception {
        try {
            call.run();
        } catch (Exception error) {
            if (expected.isInstance(error)) return;
            throw error;
        }
        throw new AssertionError("expected, and not thrown: " + expected.getName());
    }
}
