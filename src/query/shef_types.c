/*
 * Type and source codes of the SHEF Code Manual (National Weather Service, 5 July 2012), table 3,
 * in the order of ASCII. P1 to P3 are not in the manual, but decoders in use accept them.
 */
#include "obstream/query/shef.h"

#include "obstream/core/strutil.h"

/* The sources that observed readings share with the nine levels of processed ones. */
#define READINGS(type, name)                                                                       \
    { type "A", name ", best quality" }, { type "B", name ", second best quality" },               \
        { type "C", name ", third best quality" }, { type "D", name ", fourth best quality" },     \
        { type "F", name ", aircraft" }, { type "G", name ", GOES satellite" },                    \
        { type "M", name ", meteor burst radio" },                                                 \
        { type "P", name ", telephone, digital (DARDC, LARC)" }, { type "R", name ", radio 1" },   \
        { type "S", name ", radio 2" }, { type "T", name ", telephone, audio (Telemark, BDT)" },   \
        { type "V", name ", by eye or hand 1" }, { type "W", name ", by eye or hand 2" },          \
        { type "X", name ", by eye or hand 3" },                                                   \
    {                                                                                              \
        type "Z", name ", source not given"                                                        \
    }

#define SENSORS(type, name)                                                                        \
    { type "2", name ", sensor 2" }, { type "3", name ", sensor 3" },                              \
        { type "4", name ", sensor 4" }, { type "5", name ", sensor 5" },                          \
        { type "6", name ", sensor 6" }, { type "7", name ", sensor 7" },                          \
        { type "8", name ", sensor 8" },                                                           \
    {                                                                                              \
        type "9", name ", sensor 9"                                                                \
    }

#define LEVEL(n) SENSORS(n, "Processed, level " n), READINGS(n, "Processed, level " n)

#define CONTINGENCY(s)                                                                             \
    {                                                                                              \
        "C" s, "Contingency " s                                                                    \
    }
#define HISTORICAL(s)                                                                              \
    {                                                                                              \
        "H" s, "Historical, reserved " s                                                           \
    }
#define PROCESS(s, n)                                                                              \
    {                                                                                              \
        "P" s, "Processed, process " n                                                             \
    }

static const struct shef_code types[] = {
    LEVEL("1"),
    LEVEL("2"),
    LEVEL("3"),
    LEVEL("4"),
    LEVEL("5"),
    LEVEL("6"),
    LEVEL("7"),
    LEVEL("8"),
    LEVEL("9"),

    CONTINGENCY("1"),
    CONTINGENCY("2"),
    CONTINGENCY("3"),
    CONTINGENCY("4"),
    CONTINGENCY("5"),
    CONTINGENCY("6"),
    CONTINGENCY("7"),
    CONTINGENCY("8"),
    CONTINGENCY("9"),
    CONTINGENCY("A"),
    CONTINGENCY("B"),
    CONTINGENCY("C"),
    CONTINGENCY("D"),
    CONTINGENCY("E"),
    { "CF", "Contingency, flash flood guidance" },
    CONTINGENCY("G"),
    CONTINGENCY("H"),
    CONTINGENCY("I"),
    CONTINGENCY("J"),
    CONTINGENCY("K"),
    CONTINGENCY("L"),
    CONTINGENCY("M"),
    CONTINGENCY("N"),
    CONTINGENCY("O"),
    CONTINGENCY("P"),
    CONTINGENCY("Q"),
    CONTINGENCY("R"),
    CONTINGENCY("S"),
    CONTINGENCY("T"),
    CONTINGENCY("U"),
    CONTINGENCY("V"),
    CONTINGENCY("W"),
    CONTINGENCY("X"),
    CONTINGENCY("Y"),
    { "CZ", "Contingency, source not given" },

    { "FA", "Forecast, adjusted model 1" },
    { "FB", "Forecast, adjusted model 2" },
    { "FC", "Forecast, adjusted model 3" },
    { "FD", "Forecast, adjusted model 4" },
    { "FE", "Forecast, public version" },
    { "FF", "Forecast with forecast precipitation (QPF)" },
    { "FG", "Forecast, reservoir release" },
    { "FL", "Forecast, mean of an area" },
    { "FM", "Forecast, manual method 1" },
    { "FN", "Forecast, manual method 2" },
    { "FP", "Forecast, manual method 3" },
    { "FQ", "Forecast, manual method 4" },
    { "FR", "Forecast, persistence" },
    { "FU", "Forecast, unadjusted model 1" },
    { "FV", "Forecast, unadjusted model 2" },
    { "FW", "Forecast, unadjusted model 3" },
    { "FX", "Forecast, unadjusted model 4" },
    { "FZ", "Forecast, source not given" },

    HISTORICAL("A"),
    HISTORICAL("B"),
    HISTORICAL("C"),
    HISTORICAL("D"),
    HISTORICAL("E"),
    HISTORICAL("F"),
    HISTORICAL("G"),
    HISTORICAL("H"),
    HISTORICAL("I"),
    HISTORICAL("J"),
    HISTORICAL("K"),
    HISTORICAL("L"),
    HISTORICAL("M"),
    HISTORICAL("N"),
    HISTORICAL("O"),
    HISTORICAL("P"),
    HISTORICAL("Q"),
    HISTORICAL("R"),
    HISTORICAL("S"),
    HISTORICAL("T"),
    HISTORICAL("U"),
    HISTORICAL("V"),
    HISTORICAL("W"),
    HISTORICAL("X"),
    HISTORICAL("Y"),
    HISTORICAL("Z"),

    { "MA", "Model, continuous antecedent precipitation index" },
    { "MC", "Model, event index of Cincinnati (OHRFC)" },
    { "MH", "Model, event index of Harrisburg (MARFC)" },
    { "MK", "Model, event index of Kansas City (MBRFC)" },
    { "MS", "Model, Sacramento soil moisture" },
    { "MT", "Model, event index of Hartford (NERFC)" },
    { "MW", "Model, SNOW-17 snow accumulation and ablation" },

    { "P1", "Processed, local code 1" },
    { "P2", "Processed, local code 2" },
    { "P3", "Processed, local code 3" },
    PROCESS("A", "1"),
    PROCESS("B", "2"),
    PROCESS("C", "3"),
    PROCESS("D", "4"),
    PROCESS("E", "5"),
    PROCESS("F", "6"),
    PROCESS("G", "7"),
    PROCESS("H", "8"),
    PROCESS("I", "9"),
    PROCESS("J", "10"),
    PROCESS("K", "11"),
    PROCESS("L", "12"),
    { "PM", "Processed, mean of an area" },
    PROCESS("N", "13"),
    PROCESS("O", "14"),
    PROCESS("P", "15"),
    PROCESS("Q", "16"),
    PROCESS("R", "17"),
    PROCESS("S", "18"),
    PROCESS("T", "19"),
    PROCESS("U", "20"),
    PROCESS("V", "21"),
    PROCESS("W", "22"),
    PROCESS("X", "23"),
    PROCESS("Y", "24"),
    { "PZ", "Processed, source not given" },

    SENSORS("R", "Observed"),
    READINGS("R", "Observed"),

    { "ZZ", "Not given; stands for RZ" },
};

const struct shef_code *shef_types(size_t *count)
{
    *count = ARRAY_SIZE(types);
    return types;
}
