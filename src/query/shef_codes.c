/*
 * The small code tables of the SHEF Code Manual (National Weather Service, 5 July 2012): durations,
 * extremes, probabilities and data qualifiers, each in the order of ASCII.
 */
#include "obstream/query/shef.h"

#include "obstream/core/strutil.h"

static const struct shef_code durations[] = {
    { "A", "8 hours" },
    { "B", "2 hours" },
    { "C", "15 minutes" },
    { "D", "1 day" },
    { "E", "5 minutes" },
    { "F", "4 hours" },
    { "G", "10 minutes" },
    { "H", "1 hour" },
    { "I", "Instantaneous" },
    { "J", "30 minutes" },
    { "K", "12 hours" },
    { "L", "18 hours" },
    { "M", "1 month" },
    { "N", "First to fifteenth day of the month" },
    { "P", "From 7 a.m. local time to the observation" },
    { "Q", "6 hours" },
    { "R", "Period of record" },
    { "S", "Season so far" },
    { "T", "3 hours" },
    { "U", "1 minute" },
    { "V", "Variable, given with the value" },
    { "W", "1 week" },
    { "X", "Unknown" },
    { "Y", "1 year" },
    { "Z", "Default of the physical element" },
};

static const struct shef_code extremes[] = {
    { "D", "Maximum of 1 hour" },
    { "E", "Maximum of 3 hours" },
    { "F", "Minimum of 1 hour" },
    { "G", "Minimum of 3 hours" },
    { "H", "Minimum of 6 hours" },
    { "I", "Minimum of 18 hours" },
    { "J", "Minimum of the record" },
    { "K", "Minimum of the year" },
    { "L", "Minimum of the month" },
    { "M", "Minimum of the week" },
    { "N", "Minimum of the day" },
    { "P", "Minimum of 12 hours" },
    { "R", "Maximum of 6 hours" },
    { "S", "Maximum of 18 hours" },
    { "T", "Maximum of the record" },
    { "U", "Maximum of the year" },
    { "V", "Maximum of the month" },
    { "W", "Maximum of the week" },
    { "X", "Maximum of the day" },
    { "Y", "Maximum of 12 hours" },
    { "Z", "None" },
};

static const struct shef_code probabilities[] = {
    { "1", "0.1 chance of the value or less" },
    { "2", "0.2 chance of the value or less" },
    { "3", "0.3 chance of the value or less" },
    { "4", "0.4 chance of the value or less" },
    { "5", "0.5 chance of the value or less" },
    { "6", "0.6 chance of the value or less" },
    { "7", "0.7 chance of the value or less" },
    { "8", "0.8 chance of the value or less" },
    { "9", "0.9 chance of the value or less" },
    { "A", "0.002 chance of the value or less" },
    { "B", "0.004 chance of the value or less" },
    { "C", "0.01 chance of the value or less" },
    { "D", "0.02 chance of the value or less" },
    { "E", "0.04 chance of the value or less" },
    { "F", "0.05 chance of the value or less" },
    { "G", "0.25 chance of the value or less" },
    { "H", "0.75 chance of the value or less" },
    { "J", "0.0013 chance of the value or less (-3 standard deviations)" },
    { "K", "0.0228 chance of the value or less (-2 standard deviations)" },
    { "L", "0.1587 chance of the value or less (-1 standard deviation)" },
    { "M", "Mean, expected value" },
    { "N", "0.8413 chance of the value or less (+1 standard deviation)" },
    { "P", "0.9772 chance of the value or less (+2 standard deviations)" },
    { "Q", "0.9987 chance of the value or less (+3 standard deviations)" },
    { "T", "0.95 chance of the value or less" },
    { "U", "0.96 chance of the value or less" },
    { "V", "0.98 chance of the value or less" },
    { "W", "0.99 chance of the value or less" },
    { "X", "0.996 chance of the value or less" },
    { "Y", "0.998 chance of the value or less" },
    { "Z", "None" },
};

/* Meanings as in BUFR table 0-33-231, which carries this code. D, L, N and W have none there;
 * decoders in use accept them, so archives may hold them. */
static const struct shef_code qualifiers[] = {
    { "B", "Bad, by manual quality control" },
    { "D", "Accepted by decoders, meaning not published" },
    { "E", "Estimated" },
    { "F", "Questionable, flagged by the sensor or in transmission" },
    { "G", "Good, by manual quality control" },
    { "L", "Accepted by decoders, meaning not published" },
    { "M", "Good, edited by hand" },
    { "N", "Accepted by decoders, meaning not published" },
    { "P", "Good, passed levels 1, 2 and 3" },
    { "Q", "Questionable, passed level 1 but not level 2 or 3" },
    { "R", "Bad, rejected by level 1" },
    { "S", "Good, passed level 1" },
    { "T", "Triggers a function of the data base" },
    { "V", "Good, passed levels 1 and 2" },
    { "W", "Accepted by decoders, meaning not published" },
    { "Z", "No quality control" },
};

const struct shef_code *shef_durations(size_t *count)
{
    *count = ARRAY_SIZE(durations);
    return durations;
}

const struct shef_code *shef_extremes(size_t *count)
{
    *count = ARRAY_SIZE(extremes);
    return extremes;
}

const struct shef_code *shef_probabilities(size_t *count)
{
    *count = ARRAY_SIZE(probabilities);
    return probabilities;
}

const struct shef_code *shef_qualifiers(size_t *count)
{
    *count = ARRAY_SIZE(qualifiers);
    return qualifiers;
}

long shef_duration_seconds(char code)
{
    enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };
    static const struct {
        char code;
        long seconds;
    } fixed[] = {
        { 'U', MINUTE },      { 'E', 5 * MINUTE }, { 'G', 10 * MINUTE }, { 'C', 15 * MINUTE },
        { 'J', 30 * MINUTE }, { 'H', HOUR },       { 'B', 2 * HOUR },    { 'T', 3 * HOUR },
        { 'F', 4 * HOUR },    { 'Q', 6 * HOUR },   { 'A', 8 * HOUR },    { 'K', 12 * HOUR },
        { 'L', 18 * HOUR },   { 'D', DAY },        { 'W', 7 * DAY },
    };
    for (size_t i = 0; i < ARRAY_SIZE(fixed); i++) {
        if (fixed[i].code == code)
            return fixed[i].seconds;
    }
    return 0;
}
