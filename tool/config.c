/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "path.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>

struct config {
    struct options *o;
    const char *path;
    struct strbuf text;
    struct strbuf *err;
};

/* "file:line:column" of an offset. */
static char *position(const struct config *c, size_t offset)
{
    unsigned line = 1, column = 1;
    const char *s = strbuf_str(&c->text);
    for (size_t i = 0; i < offset && i < c->text.len; i++) {
        column = s[i] == '\n' ? 1 : column + 1;
        line += s[i] == '\n';
    }
    return arena_printf(&c->o->arena, "%s:%u:%u", c->path, line, column);
}

/* Where the key of an object stands: json-c keeps no positions. `from` is the object's own. */
static size_t key_offset(const struct config *c, const char *key, size_t from)
{
    json_object *text = json_object_new_string(key);
    const char *quoted = json_object_to_json_string_ext(text, JSON_C_TO_STRING_NOSLASHESCAPE);
    const char *start = strbuf_str(&c->text), *found = strstr(start + from, quoted);
    json_object_put(text);
    return found ? (size_t)(found - start) : from;
}

static int wrong(const struct config *c, size_t offset, const char *what)
{
    strbuf_printf(c->err, "%s: %s", position(c, offset), what);
    return -1;
}

static int read_section(const struct config *c, const char *section, json_object *object,
                        size_t from)
{
    const char *option = !strcmp(section, "place") ? "--place" : "--root";
    if (!json_object_is_type(object, json_type_object))
        return wrong(c, from, "an object of \"name\": \"node\" is needed here");
    json_object_object_foreach(object, name, node)
    {
        size_t at = key_offset(c, name, from);
        if (!json_object_is_type(node, json_type_string) &&
            !json_object_is_type(node, json_type_int))
            return wrong(c, at, "a node is a string or a number");
        if (!*name)
            return wrong(c, at, "a name is empty");
        if (options_request(c->o, option, name, json_object_get_string(node), position(c, at),
                            c->err))
            return -1;
    }
    return 0;
}

static int read_root(const struct config *c, json_object *root)
{
    if (!json_object_is_type(root, json_type_object))
        return wrong(c, 0, "an object with \"place\" and \"root\" is needed");
    json_object_object_foreach(root, key, value)
    {
        size_t at = key_offset(c, key, 0);
        if (strcmp(key, "place") != 0 && strcmp(key, "root") != 0) {
            char *text = arena_printf(&c->o->arena,
                                      "unknown key \"%s\": there are \"place\" and \"root\"", key);
            return wrong(c, at, text);
        }
        if (read_section(c, key, value, at))
            return -1;
    }
    return 0;
}

static int parse(struct config *c)
{
    if (c->text.len > INT_MAX)
        return wrong(c, 0, "too long");
    struct json_tokener *tok = json_tokener_new();
    json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    /* The terminating 0 belongs to it: without it a number at the end might go on. */
    json_object *root = json_tokener_parse_ex(tok, strbuf_str(&c->text), (int)c->text.len + 1);
    enum json_tokener_error e = json_tokener_get_error(tok);
    size_t end = json_tokener_get_parse_end(tok);
    json_tokener_free(tok);
    if (e != json_tokener_success) {
        const char *why =
            e == json_tokener_continue ? "the text ends too early" : json_tokener_error_desc(e);
        return wrong(c, end < c->text.len ? end : c->text.len,
                     arena_printf(&c->o->arena, "not JSON: %s", why));
    }
    int result = read_root(c, root);
    json_object_put(root);
    return result;
}

int config_read(struct options *o, struct strbuf *err)
{
    struct config c = {.o = o, .path = path_join(&o->arena, o->tree, "numafy.json"), .err = err};
    int result = 0;
    if (!path_read(c.path, &c.text))
        result = parse(&c);
    else if (errno != ENOENT) {
        strbuf_printf(err, "%s: %s", c.path, strerror(errno));
        result = -1;
    }
    strbuf_release(&c.text);
    return result;
}
