#include "value_text.h"

#include "value.h"

#include <endian.h>

/* Length of the UTF-8 sequence at s (RFC 3629, no surrogates, nothing overlong); 0: not one. */
static size_t utf8_sequence(const unsigned char *s, size_t room)
{
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (n == 0 || n > room || s[0] > 0xF4)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    }
    bool bad = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
               (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F);
    return bad ? 0 : n;
}

/* How many characters; SIZE_MAX when the text is no UTF-8 or holds a NUL, which no text column
 * can store. */
static size_t utf8_count(const char *text, size_t len)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t count = 0;
    for (size_t i = 0; i < len; count++) {
        size_t n = utf8_sequence(s + i, len - i);
        if (n == 0 || s[i] == '\0')
            return SIZE_MAX;
        i += n;
    }
    return count;
}

const char *value_encode_text(unsigned size, const char *s, size_t len, struct buf *out)
{
    size_t count = utf8_count(s, len);
    if (count == SIZE_MAX)
        return "is not UTF-8 text";
    if (size != 0 && count > size)
        return "is too long for its column";
    uint32_t head = htobe32((uint32_t)len);
    char *p = buf_tail(out, sizeof(head) + len);
    if (p == NULL)
        return NULL; /* the buffer's owner sees the failure */
    memcpy(p, &head, sizeof(head));
    if (len != 0)
        memcpy(p + sizeof(head), s, len);
    buf_advance(out, p + sizeof(head) + len);
    return NULL;
}

struct array_scan {
    const char *s, *end;
    bool literal;  /* {A,"B C"}; else blank separated */
    char *element; /* scratch */
    size_t len;
    bool quoted, bad;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Element of an array literal (PostgreSQL manual, "Array Value Input Syntax"), one dimension. */
static bool literal_next(struct array_scan *a)
{
    if (a->s == a->end)
        return false;
    bool inside = false;
    for (; a->s < a->end && (inside || *a->s != ','); a->s++) {
        char c = *a->s;
        if (c == '"') {
            inside = !inside;
            a->quoted = true;
            continue;
        }
        if (c == '\\' && ++a->s < a->end)
            c = *a->s;
        else if (c == '\\' || (!inside && (c == '{' || c == '}')))
            a->bad = true;
        if (a->s < a->end)
            a->element[a->len++] = c;
    }
    a->bad = a->bad || inside || (a->len == 0 && !a->quoted);
    if (a->s < a->end && ++a->s == a->end) /* past the comma; one at the very end is a fault */
        a->bad = true;
    return true;
}

static bool words_next(struct array_scan *a)
{
    while (a->s < a->end && is_blank(*a->s))
        a->s++;
    for (; a->s < a->end && !is_blank(*a->s); a->s++)
        a->element[a->len++] = *a->s;
    return a->len != 0;
}

static bool array_next(struct array_scan *a)
{
    a->len = 0;
    a->quoted = false;
    return !a->bad && (a->literal ? literal_next(a) : words_next(a));
}

/* array_send(): dimensions, has nulls, element type, then size and lower bound, the elements. */
static const char *array_elements(bool numbers, struct array_scan *a, struct buf *out)
{
    enum { OID_INT4 = 23, OID_VARCHAR = 1043, HEADER = 4 + 5 * 4 };
    size_t start = out->len;
    uint32_t count = 0;
    uint32_t head[HEADER / 4] = { 0 };
    buf_add(out, head, sizeof(head));
    while (array_next(a) && !a->bad) {
        const char *why =
            value_encode(numbers ? VALUE_INT4 : VALUE_TEXT, 0, a->element, a->len, out);
        if (why != NULL)
            return why;
        count++;
    }
    if (a->bad || out->failed)
        return "is not an array like {A,B}";
    size_t header = count != 0 ? HEADER : HEADER - 8; /* an empty array has no dimension */
    if (count == 0)
        out->len = start + header;
    head[0] = htobe32((uint32_t)(out->len - start - 4));
    head[1] = htobe32(count != 0);
    head[3] = htobe32(numbers ? OID_INT4 : OID_VARCHAR);
    head[4] = htobe32(count);
    head[5] = htobe32(1);
    memcpy(out->data + start, head, header);
    return NULL;
}

const char *value_encode_array(bool numbers, const char *s, size_t len, struct buf *out)
{
    enum { ARRAY_MAX = 4096 };
    char element[ARRAY_MAX];
    if (len > ARRAY_MAX)
        return "is longer than an array may be here";
    struct array_scan a = { .s = s, .end = s + len, .element = element };
    if (len >= 2 && s[0] == '{' && s[len - 1] == '}') {
        a.literal = true;
        a.s++;
        a.end--;
    }
    size_t start = out->len;
    const char *why = array_elements(numbers, &a, out);
    if (why != NULL)
        out->len = start;
    return why;
}
