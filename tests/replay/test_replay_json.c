/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader: what it takes, what it refuses and where it says so. */
#include "tests/replay/replay_file.h"

#include "runtime/base/text.h"
#include "gen/json/json_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* All events as a text: one letter each, and what they hold. */
static hone_status read_all(const char *path, hone_text *out, int *out_early,
                            hone_error *err)
{
    hone_json_reader *reader = NULL;
    hone_json_event event;
    hone_status status;

    assert_int_equal(hone__json_open(path, &reader, err), HONE_OK);
    for (;;) {
        status = hone__json_next(reader, &event, err);
        if (status != HONE_OK || event.kind == HONE_JSON_END)
            break;
        hone__text_printf(out, "%c", ".{}[]ksntf0"[event.kind]);
        if (event.kind == HONE_JSON_KEY || event.kind == HONE_JSON_STRING)
            hone__text_printf(out, "<%s>", event.text);
        if (event.kind == HONE_JSON_NUMBER)
            hone__text_printf(out, "<%g>", event.number);
    }
    if (status != HONE_OK) /* and it stays so */
        assert_int_equal(hone__json_next(reader, &event, NULL), status);
    *out_early = hone__json_ended_early(reader);
    hone__json_close(reader);
    return status;
}

static hone_status read_text(const char *text, hone_text *out, int *out_early,
                             hone_error *err)
{
    replay_file file;
    hone_status status;

    replay_file_write(&file, text, strlen(text));
    hone__text_clear(out);
    status = read_all(file.path, out, out_early, err);
    replay_file_remove(&file);
    return status;
}

static void test_reads_values(void **state)
{
    static const struct {
        const char *text;
        const char *events;
    } cases[] = {
        {"{}", "{}"},
        {" [ ] \n", "[]"},
        {"17", "n<17>"},
        {"\"a\"\n", "s<a>"},
        {"{\"a\": [1, -2.5e1, true, false, null], \"b\": {\"c\": \"d\"}}",
         "{k<a>[n<1>n<-25>tf0]k<b>{k<c>s<d>}}"},
        {"[\"\\\"\\\\\\/\\n\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"]",
         "[s<\"\\/\nA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80>]"},
        {"[\"\\ud83d\\u0041\"]", "[s<\xef\xbf\xbd>]"}, /* half a pair */
        {"[\"\\udc80\\udcffa\\udc7f\"]", "[s<\x80\xff"
                                         "a\xef\xbf\xbd>]"}, /* bytes */
        {"[NaN, Infinity, -Infinity]", "[n<nan>n<inf>n<-inf>]"},
    };
    hone_text events = {0};
    hone_error err = {0};
    int early;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(read_text(cases[i].text, &events, &early, &err),
                         HONE_OK);
        assert_string_equal(hone__text_str(&events), cases[i].events);
        assert_false(early);
    }
    hone__text_free(&events);
}

static void test_refuses_and_says_where(void **state)
{
    static const struct {
        const char *text;
        const char *message; /* with the place */
        int early;
    } cases[] = {
        {"", ":1:1: the text ends too early", 1},
        {"{\"a\": 1,\n}",
         ":2:1: this is not JSON: expected a name in "
         "quotes, not '}'",
         0},
        {"[1,]", ":1:4: this is not JSON: expected a value, not ']'", 0},
        {"[1 2]", ":1:4: this is not JSON: expected ',' or ']', not '2'", 0},
        {"{\"a\" 1}", ":1:6: this is not JSON: expected ':'", 0},
        {"{\"a\": 1]", ":1:8: this is not JSON: expected ',' or '}'", 0},
        {"[01]", ":1:2: this is not JSON: '01' is not a value", 0},
        {"[1.]", "'1.' is not a value", 0},
        {"[-]", "'-' is not a value", 0},
        {"[1e]", "'1e' is not a value", 0},
        {"[\n tru ]", ":2:2: this is not JSON: 'tru' is not a value", 0},
        {"[\"a\\x\"]", "expected an escape, not 'x'", 0},
        {"[\"\\u00g0\"]", "expected a hex digit, not 'g'", 0},
        {"[\"a\nb\"]", "not byte 0x0a", 0},
        {"{} {}", ":1:4: this is not JSON: expected nothing after", 0},
        {"hello", "'hello' is not a value", 0},
        {"{\"a\": [1, 2", ":1:12: the text ends inside a value", 1},
        {"{\"a\": [1, 2]", "the text ends too early", 1},
        {"{\"a\": [1, 2],", "the text ends too early", 1},
        {"{\"a", ":1:4: the text ends inside a string", 1},
        {"{\"a\"", "the text ends too early", 1},
    };
    hone_text events = {0};
    int early;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        hone_error err = {0};

        assert_int_equal(read_text(cases[i].text, &events, &early, &err),
                         HONE_ERR_INPUT);
        if (!strstr(err.text, cases[i].message))
            fail_msg("%s\ngave: %s", cases[i].text, err.text);
        if (early != cases[i].early)
            fail_msg("%s\nended early: %d", cases[i].text, early);
    }
    hone__text_free(&events);
}

static void test_depth_is_bounded(void **state)
{
    char deep[200];
    hone_text events = {0};
    hone_error err = {0};
    int early;

    (void)state;
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_int_equal(read_text(deep, &events, &early, &err), HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, ":1:65: values are nested more"));
    assert_false(early);
    hone__text_free(&events);
}

/* A text longer than the reader's buffer, with a string across its end. */
static void test_long_texts(void **state)
{
    hone_text text = {0}, events = {0}, wanted = {0};
    hone_error err = {0};
    replay_file file;
    int early;

    (void)state;
    hone__text_puts(&text, "[\n");
    hone__text_puts(&wanted, "[");
    for (int i = 0; i < 20000; ++i) {
        hone__text_printf(&text, "%s\"string %d\"", i ? ",\n" : "", i);
        hone__text_printf(&wanted, "s<string %d>", i);
    }
    hone__text_puts(&text, "]");
    hone__text_puts(&wanted, "]");
    assert_int_equal(read_text(text.data, &events, &early, &err), HONE_OK);
    assert_string_equal(events.data, wanted.data);
    replay_file_gzip(&file, text.data, 0);
    hone__text_clear(&events);
    assert_int_equal(read_all(file.path, &events, &early, &err), HONE_OK);
    assert_string_equal(events.data, wanted.data);
    replay_file_remove(&file);
    /* A mistake far down is found on its line. */
    text.data[text.length - 1] = '}';
    assert_int_equal(read_text(text.data, &events, &early, &err),
                     HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, ":20001:15: "));
    hone__text_free(&text);
    hone__text_free(&events);
    hone__text_free(&wanted);
}

static void test_damaged_gzip(void **state)
{
    static const char text[] = "[1, 2, 3, 4, 5, 6, 7, 8]";
    replay_file file;
    hone_text events = {0};
    int early = 1;
    FILE *stream;

    (void)state;
    for (size_t cut = 1; cut < 20; cut += 6) {
        hone_error err = {0};

        replay_file_gzip(&file, text, cut);
        assert_int_equal(read_all(file.path, &events, &early, &err),
                         HONE_ERR_INPUT);
        assert_non_null(strstr(err.text, "the gzip file is truncated"));
        assert_false(early); /* not a text that merely ends early */
        replay_file_remove(&file);
    }
    {
        hone_error err = {0};

        replay_file_gzip(&file, text, 0);
        stream = fopen(file.path, "r+b");
        assert_non_null(stream);
        assert_int_equal(fseek(stream, -6, SEEK_END), 0);
        (void)fputc('!', stream); /* in the checksum */
        assert_int_equal(fclose(stream), 0);
        assert_int_equal(read_all(file.path, &events, &early, &err),
                         HONE_ERR_INPUT);
        assert_non_null(strstr(err.text, "the gzip file is damaged"));
        replay_file_remove(&file);
    }
    hone__text_free(&events);
}

static void test_skip_and_expect(void **state)
{
    static const char text[] = "[[1, {\"a\": [2]}], 3, \"x\"]";
    replay_file file;
    hone_json_reader *reader = NULL;
    hone_json_event event;
    hone_error err = {0};

    (void)state;
    replay_file_write(&file, text, strlen(text));
    assert_int_equal(hone__json_open(file.path, &reader, &err), HONE_OK);
    assert_int_equal(hone__json_next(reader, &event, &err), HONE_OK);
    assert_int_equal(hone__json_next(reader, &event, &err), HONE_OK);
    assert_int_equal(event.kind, HONE_JSON_ARRAY);
    assert_int_equal(hone__json_skip(reader, &event, &err), HONE_OK);
    assert_int_equal(hone__json_next(reader, &event, &err), HONE_OK);
    assert_true(event.number == 3);
    assert_int_equal(hone__json_skip(reader, &event, &err), HONE_OK);
    assert_int_equal(
        hone__json_expect(reader, HONE_JSON_NUMBER, "a number", &event, &err),
        HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, ":1:22: expected a number"));
    hone__json_close(reader);
    replay_file_remove(&file);
    assert_int_equal(hone__json_open("no/such/file", &reader, &err),
                     HONE_ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "no/such/file"));
    hone__json_close(NULL);
}

/* Of a text that is in memory: the bytes that every piece has in it. */
static void test_text_and_places(void **state)
{
    static const char text[] = "{\"a\": [12, \"b\\n\"],\n \"c\": true} x";
    static const struct {
        hone_json_kind kind;
        size_t begin;
        size_t end;
    } pieces[] = {
        {HONE_JSON_OBJECT, 0, 1},       {HONE_JSON_KEY, 1, 5},
        {HONE_JSON_ARRAY, 6, 7},        {HONE_JSON_NUMBER, 7, 9},
        {HONE_JSON_STRING, 11, 16},     {HONE_JSON_ARRAY_END, 16, 17},
        {HONE_JSON_KEY, 20, 24},        {HONE_JSON_TRUE, 25, 29},
        {HONE_JSON_OBJECT_END, 29, 30},
    };
    hone_json_reader *reader = NULL;
    hone_json_event event;
    int line = 0, column = 0;

    (void)state;
    assert_int_equal(
        hone__json_open_text("t.json", text, sizeof text - 1, &reader, NULL),
        HONE_OK);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; ++i) {
        assert_int_equal(hone__json_next(reader, &event, NULL), HONE_OK);
        assert_int_equal(event.kind, pieces[i].kind);
        assert_int_equal(event.begin, pieces[i].begin);
        assert_int_equal(event.end, pieces[i].end);
    }
    assert_int_equal(hone__json_next(reader, &event, NULL), HONE_ERR_INPUT);
    assert_string_equal(hone__json_mistake(reader, &line, &column),
                        "this is not JSON: expected nothing after the value, "
                        "not 'x'");
    assert_int_equal(line, 2);
    assert_int_equal(column, 13);
    hone__json_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_values),
        cmocka_unit_test(test_refuses_and_says_where),
        cmocka_unit_test(test_depth_is_bounded),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_damaged_gzip),
        cmocka_unit_test(test_skip_and_expect),
        cmocka_unit_test(test_text_and_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
