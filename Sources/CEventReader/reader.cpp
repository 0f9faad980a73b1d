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
    const char *bytes = nullptr;
    size_t length = 0;

    template <size_t Size> bool is(const char (&text)[Size]) const {
        return length == Size - 1 && memcmp(bytes, text, Size - 1) == 0;
    }
};

enum class Member : uint8_t {
    none, schema, timestamp, event, resource, attributes, installation, app_version, patch, version, function, error, message,
    count, calls, failures, fallbacks, measured, nanoseconds, longest, running,
};

const unsigned deepest = 8;

/// Takes what a report needs out of a line. Everything else is read over.
struct Handler : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Handler> {
    unsigned depth = 0;
    Member section = Member::none, member = Member::none;
    Span schema, timestamp, event, installation, app_version, patch, function, error, message;
    Span running[ER_MOST_RUNNING];
    uint32_t running_count = 0;
    int64_t version = 0, count = 0, calls = 0, failures = 0, fallbacks = 0, measured = 0, nanoseconds = 0, longest = 0;

    bool Default() { return true; }

    bool StartObject() { return enter(depth == 0 ? Member::none : depth == 1 ? member : Member::none); }
    bool StartArray() {
        if (depth == 0) return false;
        Member of = depth == 2 ? member : Member::none;
        bool may = enter(Member::none);
        if (of == Member::running) member = of;
        return may;
    }
    bool EndObject(rapidjson::SizeType) { return leave(); }
    bool EndArray(rapidjson::SizeType) { return leave(); }

    bool Key(const char *bytes, rapidjson::SizeType length, bool) {
        Span key;
        key.bytes = bytes;
        key.length = length;
        member = depth == 1                                            ? outer(key)
            : depth != 2                                               ? Member::none
            : section == Member::resource                              ? of_resource(key)
            : section == Member::attributes                            ? of_attributes(key)
                                                                       : Member::none;
        return true;
    }

    bool String(const char *bytes, rapidjson::SizeType length, bool) {
        if (member == Member::running) {
            if (depth == 3 && running_count < ER_MOST_RUNNING) {
                running[running_count].bytes = bytes;
                running[running_count++].length = length;
            }
        } else if (Span *place = text()) {
            place->bytes = bytes;
            place->length = length;
        }
        return true;
    }

    bool Int(int value) { return number(value); }
    bool Uint(unsigned value) { return number(value); }
    bool Int64(int64_t value) { return number(value); }
    bool Uint64(uint64_t value) { return value > INT64_MAX || number(static_cast<int64_t>(value)); }

private:
    bool enter(Member next) {
        if (depth == 1) section = next;
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
        case Member::version: version = value; break;
        case Member::count: count = value; break;
        case Member::calls: calls = value; break;
        case Member::failures: failures = value; break;
        case Member::fallbacks: fallbacks = value; break;
        case Member::measured: measured = value; break;
        case Member::nanoseconds: nanoseconds = value; break;
        case Member::longest: longest = value; break;
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
        {"synced", ER_SYNCED}, {"deactivated", ER_DEACTIVATED}, {"trial", ER_TRIAL}, {"confirmed", ER_CONFIRMED},
        {"refused", ER_REFUSED}, {"fell-back", ER_FELL_BACK}, {"breaker-opened", ER_BREAKER_OPENED},
        {"rolled-back", ER_ROLLED_BACK}, {"safe-mode", ER_SAFE_MODE}, {"withdrawn", ER_WITHDRAWN},
        {"sync-failed", ER_SYNC_FAILED},
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
    er_patch patch = {0, 0};
    if (space < 2 || text.length - space > 18 || text.length == space) return patch;
    int64_t version = digits(text.bytes + space, text.length - space);
    if (version <= 0) return patch;
    patch.patch = texts.number(text.bytes, space - 1);
    patch.version = version;
    return patch;
}

}  // namespace

struct er_reader {
    Texts texts;
    rapidjson::Reader json;
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
    Handler handler;
    rapidjson::InsituStringStream stream(buffer);
    // It descends into what is nested by calling itself, at most as deep as the handler allows.
    if (reader->json.Parse<rapidjson::kParseInsituFlag>(stream, handler).IsError()) return size;
    *outcome = ER_OTHER_SCHEMA;
    if (!handler.schema.is("patchpack.event/1") || !handler.event.bytes) return size;
    *outcome = ER_NO_DEVICE;
    if (handler.installation.length == 0) return size;
    *outcome = ER_LINE;
    bool has_patch = handler.patch.length > 0 && handler.version > 0;
    Texts &texts = reader->texts;
    line->event = event_named(handler.event);
    line->time = handler.timestamp.bytes ? milliseconds(handler.timestamp) : -1;
    line->device = Texts::hash(handler.installation.bytes, handler.installation.length);
    line->version = has_patch ? handler.version : 0;
    line->patch = has_patch ? texts.number(handler.patch.bytes, handler.patch.length) : 0;
    line->app_version = texts.number(handler.app_version.bytes, handler.app_version.length);
    bool has_reason = line->event == ER_FAILED || line->event == ER_REFUSED || line->event == ER_FELL_BACK;
    line->function = has_reason ? texts.number(handler.function.bytes, handler.function.length) : 0;
    line->error = has_reason ? texts.number(handler.error.bytes, handler.error.length) : 0;
    line->message = has_reason ? texts.number(handler.message.bytes, handler.message.length) : 0;
    line->count = handler.count;
    line->calls = handler.calls;
    line->failures = handler.failures;
    line->fallbacks = handler.fallbacks;
    line->measured = handler.measured;
    line->nanoseconds = handler.nanoseconds;
    line->longest = handler.longest;
    line->running_count = 0;
    if (line->event == ER_LAUNCHED) {
        for (uint32_t i = 0; i < handler.running_count; i++) {
            er_patch patch = patch_of(handler.running[i], texts);
            if (patch.version > 0) line->running[line->running_count++] = patch;
        }
    }
    return size;
}

const char *er_text(const er_reader *reader, uint32_t number, size_t *length) { return reader->texts.text(number, length); }
uint64_t er_dropped_texts(const er_reader *reader) { return reader->texts.dropped(); }
