"""Drives the client's Python library over every kind of record: made, found, read, changed, replaced, linked, ended.

Says one JSON document on stdout: what was done, or where it went wrong.
"""
import contextlib
import json
import os
import sys
import time
import traceback

from awxkit import api, config, exceptions, utils

url = os.environ['CONTROLLER_HOST']
user, password = os.environ['CONTROLLER_USERNAME'], os.environ['CONTROLLER_PASSWORD']
config.base_url = url
config.credentials = utils.PseudoNamespace({'default': {'username': user, 'password': password}})
config.use_sessions = True
done = []


def connect():
    connection = api.client.Connection(url)
    connection.login(username=user, password=password)
    root = api.Api(connection=connection).get()
    return root, root.current_version.get()


def expect(truth, text):
    if not truth:
        raise AssertionError(text)


def through(pages, body, changed):
    """Everything that clients do with one record."""
    page = pages.post(body)
    kind = page.type
    expect(page.get().id == page.id, kind + ' cannot be read')
    key = 'username' if kind == 'user' else 'name'
    found = pages.get(**{key: body[key]})
    expect([one.id for one in found.results] == [page.id], kind + ' is not found by its name')
    page.patch(**changed)
    for name, value in changed.items():
        expect(page.get()[name] == value, kind + ' does not keep ' + name)
    page.put(dict(body, **changed))
    expect(page.related, kind + ' has no related links')
    done.append(kind)
    return page


def attach(pages, page):
    with contextlib.suppress(exceptions.NoContent):
        pages.post({'id': page.id})


def links(organization, member, template, credential, host, group):
    attach(organization.related.users, member)
    expect(member.id in [one.id for one in organization.related.users.get().results], 'the user is no member')
    template.add_credential(credential)
    expect([one.id for one in template.related.credentials.get().results] == [credential.id], 'no credential attached')
    template.remove_credential(credential)
    expect(template.related.credentials.get().count == 0, 'the credential is still attached')
    attach(group.related.hosts, host)
    expect([one.id for one in group.related.hosts.get().results] == [host.id], 'the host is not in its group')
    done.append('links')


def roles(template, team, member):
    template.set_object_roles(member, 'Execute')
    template.set_object_roles(team, 'Admin')
    given = template.related.access_list.get(username=member.username)
    expect(given.count == 1, 'the grant is not on the access list')
    template.set_object_roles(member, 'Execute', disassociate=True)
    names = [role.name for role in member.related.roles.get().results]
    expect('Execute' not in names, 'the grant is still there')
    done.append('roles')


def refusals(pages, body):
    """The library tells errors apart by status and body."""
    for attempt, error in [
        (lambda: pages.post({}), exceptions.BadRequest),
        (lambda: pages.post(body), exceptions.Duplicate),
        (lambda: pages.get(nosuchfield=1), exceptions.BadRequest),
    ]:
        try:
            attempt()
        except error:
            continue
        raise AssertionError('no ' + error.__name__)
    done.append('refusals')


def run(template):
    job = template.launch({'extra_vars': json.dumps({'who': 'library'})}).wait_until_completed(interval=0.2)
    job.assert_successful()
    expect('hello from library' in job.result_stdout, 'the output is missing')
    events = job.related.job_events.get(page_size=200, order_by='start_line')
    expect(events.count == len(events.results) > 4, 'events are missing')
    expect(job.related.job_host_summaries.get().results[0].ok == 1, 'the host summary is missing')
    again = job.relaunch().wait_until_completed(interval=0.2)
    again.assert_successful()
    expect(again.related.cancel.get().can_cancel is False, 'an ended job can be cancelled')
    job.delete()
    done.append('job')


def main():
    root, v2 = connect()
    expect(v2.me.get().results[0].username == user, 'me is somebody else')
    expect(v2.ping.get().version, 'ping tells no version')
    organization = through(v2.organizations, {'name': 'Library'}, {'description': 'changed'})
    member = through(v2.users, {'username': 'librarian', 'password': 'Library-1-secret'}, {'first_name': 'Ada'})
    team = through(v2.teams, {'name': 'Readers', 'organization': organization.id}, {'description': 'changed'})
    inventory = through(v2.inventory, {'name': 'Shelf', 'organization': organization.id}, {'description': 'changed'})
    host = through(
        v2.hosts,
        {'name': 'here', 'inventory': inventory.id, 'variables': os.environ['HOST_VARIABLES']},
        {'description': 'changed'},
    )
    group = through(v2.groups, {'name': 'locals', 'inventory': inventory.id}, {'description': 'changed'})
    machine = v2.credential_types.get(namespace='ssh').results[0]
    credential = through(
        v2.credentials,
        {'name': 'Key', 'organization': organization.id, 'credential_type': machine.id, 'inputs': {'username': 'nobody'}},
        {'description': 'changed'},
    )
    folder = {'name': 'Folder', 'organization': organization.id, 'scm_type': '', 'local_path': 'library'}
    project = through(v2.projects, folder, {'description': 'changed'})
    body = {'name': 'Library hello', 'inventory': inventory.id, 'project': project.id, 'playbook': 'hello.yml', 'ask_variables_on_launch': True}
    template = through(v2.job_templates, body, {'description': 'changed'})
    links(organization, member, template, credential, host, group)
    roles(template, team, member)
    refusals(v2.organizations, {'name': 'Library'})
    run(template)
    for page in [template, project, credential, host, group, inventory, team, member, organization]:
        page.delete()
        # inventories are removed in the background
        for _ in range(300):
            try:
                page.get()
            except exceptions.NotFound:
                break
            time.sleep(0.1)
        else:
            raise AssertionError(page.endpoint + ' is still there')
    done.append('deleted')
    root.connection.logout()


try:
    main()
    print(json.dumps({'done': done}))
except Exception:
    print(json.dumps({'done': done, 'error': traceback.format_exc()}))
    sys.exit(1)
