"""The roles and the deployments that the groups of a user grant."""

from hypothesis import given
from hypothesis import strategies as st

from monitor.guards.oidc.access import Access, Grant, access_of

ROLES, DEPLOYMENTS, GROUPS = ("read", "review", "operate"), ("shop", "support", "search"), ("a", "b", "c", "d")
GRANTS = st.dictionaries(
    st.sampled_from(GROUPS),
    st.builds(
        Grant,
        roles=st.frozensets(st.sampled_from(ROLES), min_size=1),
        deployments=st.none() | st.frozensets(st.sampled_from(DEPLOYMENTS), min_size=1),
    ),
)


@given(grants=GRANTS, groups=st.lists(st.sampled_from((*GROUPS, "unknown"))))
def test_no_role_is_valid_on_a_deployment_where_no_group_grants_it(grants: dict[str, Grant], groups: list[str]) -> None:
    access = access_of(groups, grants)
    if access is None:
        assert not set(groups) & set(grants)
        return
    for deployment in (*DEPLOYMENTS, "a deployment that no group names"):
        if access.deployments is None or deployment in access.deployments:
            granted = [grants[group] for group in groups if group in grants]
            there = [grant.roles for grant in granted if _covers(grant, deployment)]
            assert access.roles <= frozenset[str]().union(*there)


def _covers(grant: Grant, deployment: str) -> bool:
    return grant.deployments is None or deployment in grant.deployments


@given(grants=GRANTS, group=st.sampled_from(GROUPS))
def test_a_user_of_one_group_has_exactly_its_grant(grants: dict[str, Grant], group: str) -> None:
    found = grants.get(group)
    expected = None if found is None else Access(roles=found.roles, deployments=found.deployments)
    assert access_of([group], grants) == expected


def test_groups_for_all_deployments_add_up() -> None:
    grants = {"a": Grant(roles=frozenset({"read"})), "b": Grant(roles=frozenset({"review"}))}
    assert access_of(["a", "b"], grants) == Access(roles=frozenset({"read", "review"}), deployments=None)


def test_groups_with_the_same_roles_add_up_their_deployments() -> None:
    read = frozenset({"read"})
    grants = {name: Grant(roles=read, deployments=frozenset({name})) for name in ("shop", "support")}
    assert access_of(["shop", "support"], grants) == Access(roles=read, deployments=frozenset({"shop", "support"}))


def test_a_user_without_a_mapped_group_has_no_access() -> None:
    assert access_of(["staff"], {"reviewers": Grant(roles=frozenset({"read"}))}) is None
    assert access_of([], {}) is None
