/* SPDX-License-Identifier: Apache-2.0 */
/* The decision table: owners in order, reach, placements, votes, and the texts of the edits. */
#include "tool_test.h"

#include "tool_program.h"

#include "places.h"

/* One unit: Root -> Node -> Leaf, and Other beside them. */
struct world {
    struct program p;
    struct options o;
    struct fact_unit *u;
};

static void world_init(struct world *w)
{
    memset(w, 0, sizeof *w);
    w->o.leave = arena_strdup(&w->o.arena, "");
    w->u = make_unit("/t/a.cpp");
    make_type(w->u, "Root", "Node");
    make_type(w->u, "Node", "Leaf Node");
    make_type(w->u, "Leaf", "");
    make_type(w->u, "Other", "Leaf");
    make_root(w->u, "Root");
}

static struct site *world_decide(struct world *w)
{
    program_add(&w->p, w->u);
    program_merge(&w->p);
    decide_sites(&w->p, &w->o);
    return &w->p.sites.items[0];
}

static void world_release(struct world *w)
{
    program_release(&w->p);
    options_release(&w->o);
}

static void expect_left(struct world *w, int id)
{
    const struct site *s = world_decide(w);
    assert_int_equal(s->action, ACTION_LEFT);
    assert_int_equal(s->id, id);
    assert_false(s->edited);
    world_release(w);
}

static void this_that_reaches_is_the_owner(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    make_owner(make_site(w.u, 10, "Leaf"), OWNER_THIS, "this", "Root");
    struct site *s = world_decide(&w);
    assert_int_equal(s->action, ACTION_NEAR);
    assert_string_equal(s->head, " ::new (::numafy::near(this))");
    assert_null(s->tail);
    assert_null(s->inside);
    world_release(&w);
}

static void destination_comes_before_this(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    struct fact_site *f = make_site(w.u, 10, "Leaf");
    make_owner(f, OWNER_DESTINATION, "n", "Node");
    make_owner(f, OWNER_THIS, "this", "Root");
    assert_string_equal(world_decide(&w)->owner, "n");
    world_release(&w);
}

static void a_rejected_guess_gives_way(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    struct fact_site *f = make_site(w.u, 10, "Leaf");
    make_owner(f, OWNER_DESTINATION, "pick()", "Node")->reject = NF_IMPURE_OWNER;
    make_owner(f, OWNER_PARAMETER, "r", "Root");
    assert_string_equal(world_decide(&w)->owner, "r");
    world_release(&w);
}

static void a_rejected_guess_alone_says_why(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    make_owner(make_site(w.u, 10, "Leaf"), OWNER_DESTINATION, "", "Node")->reject = NF_FREED_OWNER;
    expect_left(&w, NF_FREED_OWNER);
}

/* A plain registry that a placed object calls stays plain. */
static void a_plain_destination_is_not_replaced_by_this(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    struct fact_site *f = make_site(w.u, 10, "Leaf");
    make_owner(f, OWNER_DESTINATION, "other", "Other");
    make_owner(f, OWNER_THIS, "this", "Root");
    expect_left(&w, NF_NOT_REACHED);
}

static void without_reach_there_is_no_owner(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    make_owner(make_site(w.u, 10, "Other"), OWNER_THIS, "this", "Root");
    expect_left(&w, NF_NO_OWNER);
}

static void all_reaches_everything(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    w.o.all = true;
    make_owner(make_site(w.u, 10, "Leaf"), OWNER_THIS, "this", "Other");
    assert_int_equal(world_decide(&w)->action, ACTION_NEAR);
    world_release(&w);
}

static void derived_classes_are_reached_through_their_base(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    struct fact_type *derived = make_type(w.u, "Derived", "");
    vec_push(&derived->bases, "Leaf");
    make_owner(make_site(w.u, 10, "Derived"), OWNER_THIS, "this", "Root");
    assert_int_equal(world_decide(&w)->action, ACTION_NEAR);
    world_release(&w);
}

static void fundamental_arrays_need_a_destination(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    struct fact_site *f = make_site(w.u, 10, "");
    f->flags = SITE_FUNDAMENTAL;
    make_owner(f, OWNER_THIS, "this", "Root");
    expect_left(&w, NF_FUNDAMENTAL);
    world_init(&w);
    f = make_site(w.u, 10, "");
    f->flags = SITE_FUNDAMENTAL;
    make_owner(f, OWNER_DESTINATION, "this", "Root");
    assert_int_equal(world_decide(&w)->action, ACTION_NEAR);
    world_release(&w);
}

static void an_overloaded_address_is_taken_by_the_builtin(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    struct fact_owner *o = make_owner(make_site(w.u, 10, "Leaf"), OWNER_PARAMETER, "r", "Root");
    o->take_address = true;
    o->pointee = "Root";
    assert_string_equal(world_decide(&w)->owner, "&r");
    world_release(&w);
    world_init(&w);
    w.u->types.items[0].flags |= TYPE_ADDRESSOF;
    o = make_owner(make_site(w.u, 10, "Leaf"), OWNER_PARAMETER, "r", "Root");
    o->take_address = true;
    o->pointee = "Root";
    assert_string_equal(world_decide(&w)->owner, "__builtin_addressof(r)");
    world_release(&w);
}

static void construction_that_may_allocate_is_scoped(void **state)
{
    (void)state;
    static const unsigned flags[] = {TYPE_HOLDS_ALLOC, TYPE_HOLDS_PARAM, TYPE_INIT_ALLOC};
    for (size_t i = 0; i < 3; i++) {
        struct world w;
        world_init(&w);
        w.u->types.items[2].flags |= flags[i];
        make_owner(make_site(w.u, 10, "Leaf"), OWNER_THIS, "this", "Root");
        struct site *s = world_decide(&w);
        assert_string_equal(s->head, " ::numafy::done( ::new (::numafy::near(this).ctor())");
        assert_string_equal(s->tail, ")");
        world_release(&w);
    }
}

static void the_constructor_that_is_called_counts(void **state)
{
    (void)state;
    struct fact_ctor quiet = {"quiet", CTOR_FREE}, loud = {"loud", CTOR_ALLOCATES};
    static const char *const called[] = {"quiet", "loud", ""};
    for (int i = 0; i < 3; i++) {
        struct world w;
        world_init(&w);
        vec_push(&w.u->types.items[2].ctors, quiet);
        vec_push(&w.u->types.items[2].ctors, loud);
        struct fact_site *f = make_site(w.u, 10, "Leaf");
        f->ctor = called[i];
        make_owner(f, OWNER_THIS, "this", "Root");
        assert_int_equal(world_decide(&w)->tail != NULL, i != 0);
        world_release(&w);
    }
}

static void no_scope_where_it_would_not_be_left(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    w.u->types.items[2].flags |= TYPE_HOLDS_ALLOC;
    struct fact_site *f = make_site(w.u, 10, "Leaf");
    f->flags |= SITE_NO_SCOPE;
    make_owner(f, OWNER_THIS, "this", "Root");
    assert_string_equal(world_decide(&w)->head, " ::new (::numafy::near(this))");
    world_release(&w);
}

static void nothrow_keeps_its_argument(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    struct fact_site *f = make_site(w.u, 10, "Leaf");
    f->place_at = 15;
    make_owner(f, OWNER_THIS, "this", "Root");
    struct site *s = world_decide(&w);
    assert_string_equal(s->head, " ::new");
    assert_string_equal(s->inside, "::numafy::near(this), ");
    world_release(&w);
}

static void an_alignment_stays_in_front(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    struct fact_site *f = make_site(w.u, 10, "Leaf");
    f->place_at = 17;
    f->flags |= SITE_ALIGNED;
    make_owner(f, OWNER_THIS, "this", "Root");
    assert_string_equal(world_decide(&w)->inside, ", ::numafy::near(this)");
    world_release(&w);
}

static void own_operator_new_is_found_in_bases(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    struct fact_type *base = make_type(w.u, "Pool", "");
    base->flags |= TYPE_OWN_NEW;
    vec_push(&w.u->types.items[2].bases, "Pool");
    make_owner(make_site(w.u, 10, "Leaf"), OWNER_THIS, "this", "Root");
    expect_left(&w, NF_OWN_NEW);
}

static void a_parameter_type_may_have_its_own_operator_new(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    w.u->types.items[3].flags |= TYPE_OWN_NEW | TYPE_ARGUMENT;
    struct fact_site *f = make_site(w.u, 10, "T:type-parameter-0-0");
    f->flags = SITE_DEPENDENT;
    make_owner(f, OWNER_DESTINATION, "this", "Root");
    expect_left(&w, NF_DEPENDENT_OWN_NEW);
}

static void a_replaced_malloc_stops_all_edits(void **state)
{
    (void)state;
    struct world w;
    for (int force = 0; force < 2; force++) {
        world_init(&w);
        w.o.force_alloc = force;
        struct fact_site *f = make_site(w.u, 10, "Leaf");
        f->flags |= SITE_REPLACED;
        make_owner(f, OWNER_THIS, "this", "Root");
        assert_int_equal(world_decide(&w)->id, force ? 0 : NF_REPLACED);
        world_release(&w);
    }
}

static void any_left_beats_an_edit(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        struct world w;
        world_init(&w);
        struct fact_site *f = make_site(w.u, 10, "Leaf");
        make_owner(f, OWNER_THIS, "this", "Root");
        if (turn)
            f->left = NF_MACRO_BODY;
        struct fact_unit *other = make_unit("/t/b.cpp");
        struct fact_site *g = make_site(other, 10, "Leaf");
        g->file = "/t/a.cpp";
        make_owner(g, OWNER_THIS, "this", "Root");
        if (!turn)
            g->left = NF_MACRO_BODY;
        program_add(&w.p, other);
        expect_left(&w, NF_MACRO_BODY);
    }
}

static void different_texts_are_a_conflict(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    make_owner(make_site(w.u, 10, "Leaf"), OWNER_THIS, "this", "Root");
    struct fact_unit *other = make_unit("/t/b.cpp");
    struct fact_site *g = make_site(other, 10, "Leaf");
    g->file = "/t/a.cpp";
    make_owner(g, OWNER_PARAMETER, "r", "Root");
    program_add(&w.p, other);
    expect_left(&w, NF_CONFLICT);
}

static void a_file_of_a_failed_unit_is_not_edited(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    make_owner(make_site(w.u, 10, "Leaf"), OWNER_THIS, "this", "Root");
    struct fact_unit *other = make_unit("/t/a.cpp");
    other->failed = true;
    program_add(&w.p, other);
    expect_left(&w, NF_FAILED_FILE);
}

static void what_is_tagged_is_counted_and_kept(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    make_site(w.u, 10, "Leaf")->flags |= SITE_TAGGED_ON;
    struct site *s = world_decide(&w);
    assert_int_equal(s->action, ACTION_ON);
    assert_false(s->edited);
    world_release(&w);
}

static void include_goes_to_the_includer(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    struct fact_file *body = vec_add(&w.u->files);
    body->path = "/t/body.inc";
    struct fact_include inc = {"/t/a.cpp", true};
    vec_push(&body->includes, inc);
    program_add(&w.p, w.u);
    program_merge(&w.p);
    decide_sites(&w.p, &w.o);
    struct program_file *f = program_file(&w.p, "/t/body.inc");
    assert_int_equal(f->prelude_in.count, 1);
    assert_string_equal(f->prelude_in.items[0], "/t/a.cpp");
    world_release(&w);
}

/* Placements */

static int place(struct world *w, const char *name, struct strbuf *err)
{
    struct request r = {name, 1, ""};
    vec_push(&w->o.places, r);
    program_add(&w->p, w->u);
    program_merge(&w->p);
    return places_resolve(&w->p, &w->o, err);
}

static void placed_types_are_typed(void **state)
{
    (void)state;
    for (int final = 0; final < 2; final++) {
        struct world w;
        struct strbuf err = {0};
        world_init(&w);
        if (final)
            w.u->types.items[3].flags |= TYPE_NO_TAG;
        make_site(w.u, 10, "Other");
        assert_int_equal(place(&w, "Other", &err), 0);
        decide_sites(&w.p, &w.o);
        struct site *s = &w.p.sites.items[0];
        assert_int_equal(s->action, ACTION_ON);
        assert_string_equal(s->head, final ? " ::new (::numafy::on(1))"
                                           : " ::new (::numafy::numa<\001,1>::at)");
        strbuf_release(&err);
        world_release(&w);
    }
}

static void names_are_found_whole_or_by_their_last_part(void **state)
{
    (void)state;
    static const char *const good[] = {"ns::Thing", "::ns::Thing", "Thing", "Alias"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct world w;
        struct strbuf err = {0};
        world_init(&w);
        make_type(w.u, "ns::Thing", "");
        struct fact_type *alias = make_type(w.u, "Alias", "ns::Thing");
        alias->key = "alias:Alias";
        alias->flags = TYPE_ALIAS;
        assert_int_equal(place(&w, good[i], &err), 0);
        assert_string_equal(w.o.placements.items[0].key, "ns::Thing");
        strbuf_release(&err);
        world_release(&w);
    }
}

static void unknown_names_get_the_nearest(void **state)
{
    (void)state;
    struct world w;
    struct strbuf err = {0};
    world_init(&w);
    assert_int_equal(place(&w, "Nod", &err), -1);
    assert_string_equal(strbuf_str(&err),
                        "--place Nod: no such type in the tree; nearest: Node, Root");
    strbuf_release(&err);
    world_release(&w);
}

static void ambiguous_names_are_listed(void **state)
{
    (void)state;
    struct world w;
    struct strbuf err = {0};
    world_init(&w);
    make_type(w.u, "a::Twin", "");
    make_type(w.u, "b::Twin", "");
    assert_int_equal(place(&w, "Twin", &err), -1);
    assert_non_null(strstr(strbuf_str(&err), "a::Twin, b::Twin"));
    strbuf_release(&err);
    world_release(&w);
}

static void distance_is_levenshteins(void **state)
{
    (void)state;
    assert_int_equal(places_distance("kitten", "sitting", 99), 3);
    assert_int_equal(places_distance("", "abc", 99), 3);
    assert_int_equal(places_distance("abc", "abc", 99), 0);
    assert_int_equal(places_distance("abcdef", "uvwxyz", 4), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_that_reaches_is_the_owner),
        cmocka_unit_test(destination_comes_before_this),
        cmocka_unit_test(a_rejected_guess_gives_way),
        cmocka_unit_test(a_rejected_guess_alone_says_why),
        cmocka_unit_test(a_plain_destination_is_not_replaced_by_this),
        cmocka_unit_test(without_reach_there_is_no_owner),
        cmocka_unit_test(all_reaches_everything),
        cmocka_unit_test(derived_classes_are_reached_through_their_base),
        cmocka_unit_test(fundamental_arrays_need_a_destination),
        cmocka_unit_test(an_overloaded_address_is_taken_by_the_builtin),
        cmocka_unit_test(construction_that_may_allocate_is_scoped),
        cmocka_unit_test(the_constructor_that_is_called_counts),
        cmocka_unit_test(no_scope_where_it_would_not_be_left),
        cmocka_unit_test(nothrow_keeps_its_argument),
        cmocka_unit_test(an_alignment_stays_in_front),
        cmocka_unit_test(own_operator_new_is_found_in_bases),
        cmocka_unit_test(a_parameter_type_may_have_its_own_operator_new),
        cmocka_unit_test(a_replaced_malloc_stops_all_edits),
        cmocka_unit_test(any_left_beats_an_edit),
        cmocka_unit_test(different_texts_are_a_conflict),
        cmocka_unit_test(a_file_of_a_failed_unit_is_not_edited),
        cmocka_unit_test(what_is_tagged_is_counted_and_kept),
        cmocka_unit_test(include_goes_to_the_includer),
        cmocka_unit_test(placed_types_are_typed),
        cmocka_unit_test(names_are_found_whole_or_by_their_last_part),
        cmocka_unit_test(unknown_names_get_the_nearest),
        cmocka_unit_test(ambiguous_names_are_listed),
        cmocka_unit_test(distance_is_levenshteins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
