import { ApiError } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { type AccessStage, openAccessStage, statusOf } from './stage.ts';

/**
 * Who may do what, written down by hand from contract/rbac.md §3 and §7. Whoever is not named for `see` gets 404 for
 * everything; who sees but is not named for an action gets 403.
 */
const everything = ['superuser', 'readToken', 'auditor'];
const managers = ['orgAdmin', 'orgAuditor'];
const held = (type: string, ...fields: string[]) => fields.map((field) => `${type}.${field}_role`);
const inventoryReaders = held('inventory', 'admin', 'update', 'adhoc', 'use', 'read');
const templateReaders = [...held('job_template', 'admin', 'execute', 'read'), 'teammate', 'orgExecute'];

interface Expected {
  path: string;
  see: string[];
  change?: string[];
  delete?: string[];
}

const inventoryPart = {
  see: [...everything, ...managers, ...inventoryReaders],
  change: ['superuser', 'orgAdmin', 'inventory.admin_role'],
  delete: ['superuser', 'orgAdmin', 'inventory.admin_role'],
};

const matrix: Record<string, Expected> = {
  organization: {
    path: 'organizations',
    see: [...everything, ...managers, 'member', 'orgExecute'],
    change: ['superuser', 'orgAdmin'],
    delete: ['superuser', 'orgAdmin'],
  },
  team: {
    path: 'teams',
    // an administrator of any organization sees every team, as ORG_ADMINS_CAN_SEE_ALL_USERS says
    see: [...everything, ...managers, 'member', 'teammate', 'otherAdmin'],
    change: ['superuser', 'orgAdmin'],
    delete: ['superuser', 'orgAdmin'],
  },
  inventory: { path: 'inventories', ...inventoryPart },
  host: { path: 'hosts', ...inventoryPart },
  group: { path: 'groups', ...inventoryPart },
  project: {
    path: 'projects',
    see: [...everything, ...managers, ...held('project', 'admin', 'use', 'update', 'read')],
    change: ['superuser', 'orgAdmin', 'project.admin_role'],
    delete: ['superuser', 'orgAdmin', 'project.admin_role'],
  },
  project_update: {
    path: 'project_updates',
    see: [...everything, ...managers, ...held('project', 'admin', 'use', 'update', 'read')],
    delete: ['superuser', 'orgAdmin', 'project.admin_role'],
  },
  credential: {
    path: 'credentials',
    see: [...everything, ...managers, ...held('credential', 'admin', 'use', 'read')],
    change: ['superuser', 'orgAdmin', 'credential.admin_role'],
    delete: ['superuser', 'orgAdmin', 'credential.admin_role'],
  },
  job_template: {
    path: 'job_templates',
    see: [...everything, ...managers, ...templateReaders],
    change: ['superuser', 'orgAdmin', 'job_template.admin_role'],
    delete: ['superuser', 'orgAdmin', 'job_template.admin_role'],
  },
  job: {
    path: 'jobs',
    see: [...everything, ...managers, ...templateReaders],
    delete: ['superuser', 'orgAdmin'],
  },
  instance_group: { path: 'instance_groups', see: everything, change: ['superuser'], delete: ['superuser'] },
};

const launchers = ['superuser', 'orgAdmin', 'orgExecute', 'teammate', ...held('job_template', 'admin', 'execute')];
const unauthenticated = ['anonymous', 'disabled'];

describe('the role matrix', () => {
  let stage: AccessStage;
  let principals: string[];
  const url = (type: string) => `/api/v2/${matrix[type]!.path}/${stage.ids[type]}/`;
  const ask = (name: string, method: string, path: string, body?: unknown) => stage.as[name]!(method, path, body);

  before(async () => {
    // what matters here is who gets as far as the launch
    const launchTemplate = async () => {
      throw new ApiError(409, 'The launch was reached.');
    };
    stage = await openAccessStage({ launch: { launchTemplate } });
    principals = Object.keys(stage.as).filter((name) => !unauthenticated.includes(name));
  });
  after(() => stage?.stop());

  /** What every principal gets, against what it should get. */
  async function compare(expected: (name: string) => number, actual: (name: string) => Promise<number>) {
    const wanted: Record<string, number> = {};
    const got: Record<string, number> = {};
    for (const name of principals) {
      wanted[name] = expected(name);
      got[name] = await actual(name);
    }
    expect(got).to.deep.equal(wanted);
  }

  const denial = (type: string, name: string) => (matrix[type]!.see.includes(name) ? 403 : 404);

  it('lets nobody in without valid credentials', async () => {
    for (const type of Object.keys(matrix)) {
      for (const name of unauthenticated) {
        for (const method of ['GET', 'PATCH', 'DELETE'])
          if (method !== 'PATCH' || matrix[type]!.change)
            expect(await statusOf(ask(name, method, url(type), method === 'PATCH' ? {} : undefined))).to.equal(401);
      }
    }
  });

  for (const [type, row] of Object.entries(matrix)) {
    describe(type, () => {
      it('is seen in its detail', () =>
        compare(
          (name) => (row.see.includes(name) ? 200 : 404),
          (name) => statusOf(ask(name, 'GET', url(type))),
        ));

      it('is counted and listed for the same', () =>
        compare(
          (name) => (row.see.includes(name) ? 1 : 0),
          async (name) => {
            const { body } = await ask(name, 'GET', `/api/v2/${row.path}/?id=${stage.ids[type]}`);
            expect(body.count).to.equal(body.results.length);
            return body.count;
          },
        ));

      if (row.change)
        it('is changed', () =>
          compare(
            (name) => (row.change!.includes(name) ? 200 : name === 'readToken' ? 403 : denial(type, name)),
            (name) => statusOf(ask(name, 'PATCH', url(type), type === 'instance_group' ? {} : { description: name })),
          ));

      it('is not deleted by others', () =>
        compare(
          (name) => (row.delete!.includes(name) ? 0 : name === 'readToken' ? 403 : denial(type, name)),
          async (name) => (row.delete!.includes(name) ? 0 : statusOf(ask(name, 'DELETE', url(type)))),
        ));

      it('says in its capabilities what may be done', async () => {
        for (const name of row.see) {
          const { body } = await ask(name, 'GET', url(type));
          const { edit, delete: remove } = body.summary_fields.user_capabilities;
          expect(remove, `${name} delete`).to.equal(row.delete!.includes(name));
          if (row.change) expect(edit, `${name} edit`).to.equal(row.change.includes(name));
        }
      });
    });
  }

  it('launches for those who may execute', () =>
    compare(
      (name) => (launchers.includes(name) ? 409 : name === 'readToken' ? 403 : denial('job_template', name)),
      (name) => statusOf(ask(name, 'POST', `${url('job_template')}launch/`, {})),
    ));

  it('creates for those whom the parent lets', async () => {
    const creators: [string, () => object, string[]][] = [
      ['organizations', () => ({ name: 'New' }), ['superuser']],
      ['teams', () => ({ name: 'New', organization: stage.ids.organization }), ['superuser', 'orgAdmin']],
      ['inventories', () => ({ name: 'New', organization: stage.ids.organization }), ['superuser', 'orgAdmin']],
      [
        'hosts',
        () => ({ name: 'new', inventory: stage.ids.inventory }),
        ['superuser', 'orgAdmin', 'inventory.admin_role'],
      ],
      ['users', () => ({ username: 'newcomer', password: 'long enough 1' }), ['superuser']],
    ];
    for (const [path, body, allowed] of creators) {
      for (const name of principals) {
        const reply = await ask(name, 'POST', `/api/v2/${path}/`, body());
        const wanted = allowed.includes(name) ? [201] : [400, 403];
        expect(wanted, `${name} creates ${path}: ${reply.text}`).to.include(reply.status);
        if (reply.status === 201) await stage.api.admin('DELETE', reply.body.url);
      }
    }
  });

  describe('in the end', () => {
    it('deletes for those who may, and takes the access along', async () => {
      const order: [string, string][] = [
        ['job', 'orgAdmin'],
        ['job_template', 'job_template.admin_role'],
        ['host', 'inventory.admin_role'],
        ['group', 'inventory.admin_role'],
        ['project_update', 'project.admin_role'],
        ['credential', 'credential.admin_role'],
        ['team', 'orgAdmin'],
      ];
      for (const [type, name] of order) {
        const { status, text } = await ask(name, 'DELETE', url(type));
        expect(status, `${name} deletes ${type}: ${text}`).to.equal(204);
      }
      expect(
        await stage.api.db('roles').where({ content_type: 'job_template', object_id: stage.ids.job_template }),
      ).to.deep.equal([]);
    });
  });
});
