#include "CEventReader.h"

#include <cstdlib>
#include <cstring>
#include <new>

// SSE2 and NEON are in every processor of their kind.
#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#elif defined(__ARM_NEON)
#define RAPIDJSON_NEON
#endif
#define RAPIDJSON_ASSERT(x) ((void)0)
#include <rapidjson/reader.h>

#include "texts.h"

namespace {

struct Span {
    const char *bytes;
    size_t length;

    template <size_t Size> bool is(const char (&text)[Size]) const {
        return length == Size - 1 && memcmp(bytes, text, Size - 1) == 0;
    }
};

enum class Member : uint8_t {
    none, schema, timestamp, event, resource, attributes, installation, app_version, patch, version, function, error, message,
    count, calls, failures, fallbacks, measured, nanoseconds, longest, running,
};

const unsigned deepest = 8;
const size_t most_running = 64;

/// Takes what a report needs out of a line: numbers right away, and texts until it is known whether they are needed. Everything else
/// is read over.
struct Handler : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Handler> {
    er_line &line;
    unsigned depth = 0;
    Member section = Member::none, member = Member::none;
    Span schema{}, timestamp{}, event{}, installation{}, app_version{}, patch{}, function{}, error{}, message{};
    Span running[most_running];  // as many as are counted
    size_t running_count = 0;

    explicit Handler(er_line &line) : line(line) {}

    bool Default() { return true; }

    bool StartObject() { return enter(); }
    bool StartArray() {
        bool lists_patches = depth == 2 && member == Member::running;
        bool may = depth > 0 && enter();
        if (lists_patches) member = Member::running;
        return may;
    }
    bool EndObject(rapidjson::SizeType) { return leave(); }
    bool EndArray(rapidjson::SizeType) { return leave(); }

    bool Key(const char *bytes, rapidjson::SizeType length, bool) {
        Span key = {bytes, length};
        member = depth == 1                                            ? outer(key)
            : depth != 2                                               ? Member::none
            : section == Member::resource                              ? of_resource(key)
            : section == Member::attributes                            ? of_attributes(key)
                                                                       : Member::none;
        return true;
    }

    bool String(const char *bytes, rapidjson::SizeType length, bool) {
        Span value = {bytes, length};
        if (member == Member::running) {
            if (depth == 3 && running_count < most_running) running[running_count++] = value;
        } else if (Span *place = text()) {
            *place = value;
        }
        return true;
    }

    bool Int(int value) { return number(value); }
    bool Uint(unsigned value) { return number(value); }
    bool Int64(int64_t value) { return number(value); }
    bool Uint64(uint64_t value) { return value > INT64_MAX || number(static_cast<int64_t>(value)); }

private:
    bool enter() {
        if (depth == 1) section = member;
        member = Member::none;
        return ++depth <= deepest;
    }

    bool leave() {
        depth--;
        member = Member::none;
        return true;
    }

    static Member outer(Span key) {
        if (key.is("schema")) return Member::schema;
        if (key.is("timestamp")) return Member::timestamp;
        if (key.is("eventName")) return Member::event;
        if (key.is("resource")) return Member::resource;
        if (key.is("attributes")) return Member::attributes;
        return Member::none;
    }

    static Member of_resource(Span key) {
        if (key.is("app.installation.id")) return Member::installation;
        if (key.is("service.version")) return Member::app_version;
        return Member::none;
    }

    static Member of_attributes(Span key) {
        if (key.is("patch.id")) return Member::patch;
        if (key.is("patch.version")) return Member::version;
        if (key.is("code.function.name")) return Member::function;
        if (key.is("error.type")) return Member::error;
        if (key.is("error.message")) return Member::message;
        if (key.is("event.count")) return Member::count;
        if (key.is("patch.calls")) return Member::calls;
        if (key.is("patch.failures")) return Member::failures;
        if (key.is("patch.fallbacks")) return Member::fallbacks;
        if (key.is("patch.measured")) return Member::measured;
        if (key.is("patch.nanoseconds")) return Member::nanoseconds;
        if (key.is("patch.longest")) return Member::longest;
        if (key.is("patch.running")) return Member::running;
        return Member::none;
    }

    Span *text() {
        switch (member) {
        case Member::schema: return &schema;
        case Member::timestamp: return &timestamp;
        case Member::event: return &event;
        case Member::installation: return &installation;
        case Member::app_version: return &app_version;
        case Member::patch: return &patch;
        case Member::function: return &function;
        case Member::error: return &error;
        case Member::message: return &message;
        default: return nullptr;
        }
    }

    bool number(int64_t value) {
        switch (member) {
        case Member::version: line.version = value; break;
        case Member::count: line.count = value; break;
        case Member::calls: line.calls = value; break;
        case Member::failures: line.failures = value; break;
        case Member::fallbacks: line.fallbacks = value; break;
        case Member::measured: line.measured = value; break;
        case Member::nanoseconds: line.nanoseconds = value; break;
        case Member::longest: line.longest = value; break;
        default: break;
        }
        return true;
    }
};

er_event event_named(Span name) {
    static const struct {
        const char *name;
        er_event event;
    } events[] = {
        {"activated", ER_ACTIVATED}, {"called", ER_CALLED}, {"failed", ER_FAILED}, {"launched", ER_LAUNCHED},
        {"deactivated", ER_DEACTIVATED}, {"trial", ER_TRIAL}, {"confirmed", ER_CONFIRMED}, {"refused", ER_REFUSED},
        {"fell-back", ER_FELL_BACK}, {"rolled-back", ER_ROLLED_BACK}, {"withdrawn", ER_WITHDRAWN},
    };
    for (const auto &known : events)
        if (strncmp(known.name, name.bytes, name.length) == 0 && known.name[name.length] == '\0') return known.event;
    return ER_OTHER;
}

/// Reads digits; negative if there is anything else.
int64_t digits(const char *bytes, size_t count) {
    int64_t value = 0;
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] < '0' || bytes[i] > '9') return INT64_MIN;
        value = value * 10 + (bytes[i] - '0');
    }
    return value;
}

/// Reads `YYYY-MM-DDTHH:MM:SSZ`, with or without a fraction. Negative if it is anything else.
int64_t milliseconds(Span text) {
    const char *t = text.bytes;
    if (text.length < 20 || t[4] != '-' || t[7] != '-' || t[10] != 'T' || t[13] != ':' || t[16] != ':'
        || t[text.length - 1] != 'Z')
        return -1;
    int64_t year = digits(t, 4), month = digits(t + 5, 2), day = digits(t + 8, 2);
    int64_t hour = digits(t + 11, 2), minute = digits(t + 14, 2), second = digits(t + 17, 2), fraction = 0;
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 || hour > 23 || minute < 0 || minute > 59
        || second < 0 || second > 60)
        return -1;
    if (text.length > 20) {
        if (t[19] != '.') return -1;
        int64_t unit = 100;
        for (size_t i = 20; i < text.length - 1; i++) {
            int64_t digit = digits(t + i, 1);
            if (digit < 0) return -1;
            fraction += digit * unit;
            unit /= 10;
        }
    }
    // Days since 1970 in the Gregorian calendar, with years that begin in March.
    int64_t y = month <= 2 ? year - 1 : year, of_era = y % 400, in_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    int64_t days = y / 400 * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + in_year - 719468;
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + fraction;
}

/// Whether a line has a byte that JSON never has and the parser overlooks: it ends at NUL, and where it reads 16 bytes of a string at
/// once, RapidJSON 1.1 takes 0x19 for the last control character.
bool has_wrong_byte(const char *byte, const char *end) {
    unsigned wrong = 0;
    for (; byte < end; byte++) {
        unsigned char value = static_cast<unsigned char>(*byte);
        wrong |= (value == 0) | (static_cast<unsigned char>(value - 0x1a) < 6);
    }
    return wrong != 0;
}

/// Reads `ID VERSION`. The version is 0 if it is anything else.
er_patch patch_of(Span text, Texts &texts) {
    size_t space = text.length;
    while (space > 0 && text.bytes[space - 1] != ' ') space--;
    if (space < 2 || text.length - space > 18 || text.length == space) return {0, 0};
    int64_t version = digits(text.bytes + space, text.length - space);
    if (version <= 0) return {0, 0};
    return {texts.number(text.bytes, space - 1), version};
}

}  // namespace

struct er_reader {
    Texts texts;
    rapidjson::Reader json;
    er_patch running[most_running];
};

er_reader *er_open(void) {
    er_reader *reader = new (std::nothrow) er_reader;
    if (reader && !reader->texts.is_ready()) {
        delete reader;
        return nullptr;
    }
    return reader;
}

void er_close(er_reader *reader) { delete reader; }

size_t er_next(er_reader *reader, char *buffer, size_t length, er_line *line, er_outcome *outcome) {
    char *end = static_cast<char *>(memchr(buffer, '\n', length));
    if (!end) return 0;
    size_t size = static_cast<size_t>(end - buffer) + 1;
    if (end > buffer && end[-1] == '\r') end--;
    *end = '\0';
    *outcome = ER_BLANK;
    if (end == buffer) return size;
    *outcome = ER_NOT_JSON;
    if (has_wrong_byte(buffer, end)) return size;
    *line = {};
    Handler handler(*line);
    rapidjson::InsituStringStream stream(buffer);
    // It descends into what is nested by calling itself, at most as deep as the handler allows.
    if (reader->json.Parse<rapidjson::kParseInsituFlag>(stream, handler).IsError()) return size;
    *outcome = ER_OTHER_SCHEMA;
    if (!handler.schema.is("patchpack.event/1") || !handler.event.bytes) return size;
    *outcome = ER_NO_DEVICE;
    if (handler.installation.length == 0) return size;
    *outcome = ER_LINE;
    Texts &texts = reader->texts;
    auto number = [&](Span text) { return texts.number(text.bytes, text.length); };
    line->event = event_named(handler.event);
    line->time = handler.timestamp.bytes ? milliseconds(handler.timestamp) : -1;
    line->device = Texts::hash(handler.installation.bytes, handler.installation.length);
    bool has_patch = handler.patch.length > 0 && line->version > 0;
    if (!has_patch) line->version = 0;
    if (has_patch) line->patch = number(handler.patch);
    line->app_version = number(handler.app_version);
    if (line->event == ER_FAILED || line->event == ER_REFUSED || line->event == ER_FELL_BACK) {
        line->function = number(handler.function);
        line->error = number(handler.error);
        line->message = number(handler.message);
    }
    if (line->event == ER_LAUNCHED) {
        for (size_t i = 0; i < handler.running_count; i++) {
            er_patch patch = patch_of(handler.running[i], texts);
            if (patch.version > 0) reader->running[line->running++] = patch;
        }
    }
    return size;
}

er_patch er_running(const er_reader *reader, size_t place) { return reader->running[place]; }
const char *er_text(const er_reader *reader, uint32_t number, size_t *length) { return reader->texts.text(number, length); }
uint64_t er_dropped_texts(const er_reader *reader) { return reader->texts.dropped(); }
