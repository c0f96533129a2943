import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Access,
  field,
  type PlanRequest,
  type PluginApi,
  type RunAccess,
  type RunKind,
  SpecError,
  type TemplateKind,
  z,
} from '@tapline/plugin-sdk';
import { testPlugin } from '../support/plugins.ts';

/** Files whose being there lets runs go on, in a folder that their sandbox shows. */
export interface Gates {
  folder: string;
}

const gate = ({ folder }: Gates, run: number) => `${folder}/go-${run}`;

/** What Postgres refuses: NUL, and half a character. */
const unstorable = ` \0 ${'\u{1F600}'.slice(0, 1)}`;

/** Asked for at each launch. */
export const word = 'open-sesame';

/** What a launch makes of each of these templates, whatever the kind. */
const planOf =
  (needsLine: boolean) =>
  async ({ db, template, prompts }: PlanRequest) => {
    const row = await db('templates').where({ id: template }).first();
    return {
      columns: {
        template_id: row.id,
        name: row.name,
        organization_id: row.organization_id,
        limit: prompts['limit'] ?? null,
        impact: 1,
        data: { colour: row.description },
      },
      passwords: { word },
      errors: row.description === 'none' ? { colour: ['A colour is needed.'] } : {},
      ...(needsLine ? { locks: { holds: [`made:${row.id}`], waitsFor: [`made:${row.id}`] } } : {}),
      template: row,
    };
  };

const ofRun = (api: PluginApi): RunAccess => ({
  see: api.rules.parent('organization_id', 'organization', 'read_role'),
  cancel: api.rules.parent('organization_id', 'organization', 'execute_role'),
  delete: api.rules.parent('organization_id', 'organization', 'admin_role'),
});

const ofTemplate = (api: PluginApi): Access => {
  const admin = api.rules.parent('organization_id', 'organization', 'admin_role');
  const see = api.rules.parent('organization_id', 'organization', 'read_role');
  return { see, create: admin, change: admin, delete: admin };
};

const colour = { colour: field.text({ mode: 'ro', sql: `({alias}.data->>'colour')` }) };

const descriptor = (path: string, label: string) => ({
  path,
  label,
  description: 'Made up by a test.',
  fields: { organization: field.ref('organization', { mode: 'ro' }), limit: field.text({ mode: 'ro' }), ...colour },
});

const common = (api: PluginApi, kind: string, label: string) => ({
  kind,
  template: `${kind}_template`,
  prompts: ['limit'],
  noted: true,
  access: ofRun(api),
  resource: descriptor(`${kind}s`, label),
});

export const engineKind = (api: PluginApi, gates: Gates): RunKind => ({
  ...common(api, 'made_engine', 'Made engine'),
  needs: 'engine',
  plan: planOf(true),
  async prepare(run) {
    if (run.data['colour'] === 'unpreparable') throw new SpecError(`There is nothing to execute.${unstorable}`);
    const script = `echo begun ${run.passwords['word']}; until [ -e ${gate(gates, run.id)} ]; do sleep 0.1; done; echo "in ${String(run.data['colour'])}"; echo ended > result/word`;
    return {
      spec: {
        run_id: run.id,
        argv: ['/bin/sh', '-c', script],
        env: { PATH: '/usr/bin:/bin' },
        cwd: '.',
        files: [{ path: 'result/.keep', content: '' }],
        checkout: null,
        secretPaths: [],
        sshKeys: [],
        timeout_s: 0,
        spool_limit_bytes: 1 << 20,
        readOnlyPaths: [gates.folder],
      },
      columns: () => ({ job_args: JSON.stringify(['made']) }),
      secrets: [],
    };
  },
  async finish({ status, readFolder, run }) {
    if (status !== 'successful') return undefined;
    const words = [];
    for await (const { name, content } of readFolder('result')) if (name === 'word') words.push(content.trim());
    return { columns: { data: { ...run.data, words } }, explanation: `It said ${words.join()}.` };
  },
});

export const taskKind = (api: PluginApi, gates: Gates): RunKind => ({
  ...common(api, 'made_task', 'Made task'),
  graph: 'made_work',
  needs: 'task',
  plan: planOf(true),
  async work(run, { signal, attempt, write }) {
    await write(`attempt ${attempt} with ${run.passwords['word']}\n`);
    while (!existsSync(gate(gates, run.id))) await delay(50, undefined, { signal });
    if (run.data['colour'] === 'broken') throw new Error(`The work is broken.${unstorable}`);
    await write('ended');
    const columns = run.data['colour'] === 'unfit' ? { elapsed: 'long' } : {};
    return { explanation: 'All done.', columns };
  },
});

/** Launches what its template's description names, waits for it, and ends as that does; until then earlier runs of that stay. */
export function waitKind(api: PluginApi): RunKind {
  const cancelChild = api.task('cancel-child', { schema: z.object({ run: z.int() }) }, async ({ run }) => {
    await api.runs.cancel(run, null);
  });
  const launchChild = api.task('launch-child', { schema: z.object({ run: z.int() }) }, async ({ run }) => {
    const parent = await api.db('runs').where({ id: run }).first();
    if (parent.status !== 'running' || (await api.db('runs').where({ parent_id: run }).first('id'))) return;
    await api.launch.start({
      template: Number(parent.data.colour),
      actor: null,
      origin: { kind: 'made-up', id: run, client_ip: null },
      parent: run,
      waiting: false,
    });
  });
  return {
    ...common(api, 'made_wait', 'Made wait'),
    needs: 'nobody',
    plan: planOf(false),
    keeps: (run) =>
      `exists (select from runs w where w.kind = 'made_wait' and w.status = 'running' and w.data ->> 'colour' = ${run}.template_id::text)`,
    begin: (trx, { id }) => launchChild.enqueue(trx, { run: id }),
    async follow(trx, parent, { kind, id, status, finished }) {
      if (finished) await api.runs.end(trx, parent.id, status as 'successful', `As ${kind} ${id}.`);
    },
    async cancel(trx, run) {
      const children = await trx('runs').where({ parent_id: run.id, finished: null }).pluck('id');
      if (!children.length) await api.runs.end(trx, run.id, 'canceled');
      for (const child of children) await cancelChild.enqueue(trx, { run: child });
    },
  };
}

/** Stays pending until somebody answers. */
export const answerKind = (api: PluginApi): RunKind => {
  const made = common(api, 'made_answer', 'Made answer');
  return {
    ...made,
    needs: 'nobody',
    staysPending: true,
    noted: false,
    plan: planOf(false),
    resource: {
      ...made.resource,
      actions: {
        answer: {
          access: { POST: made.access.cancel },
          takes: { type: 'object' },
          answers: { POST: { status: 204, empty: true } },
          async handler(_call, row) {
            await api.db.transaction((trx: any) => api.runs.end(trx, row.id, 'successful', 'Answered.'));
            return { status: 204 };
          },
        },
      },
    },
  };
};

const templateOf = (api: PluginApi, type: string, label: string): TemplateKind => ({
  type,
  launch: api.rules.parent('organization_id', 'organization', 'execute_role'),
  resource: {
    path: `${type}s`,
    label,
    description: 'Made up by a test.',
    access: ofTemplate(api),
    fields: {},
    validate({ input, before }) {
      if (!before) input['name_scope'] = `colour:${String(input['description'])}`;
    },
  },
});

export const madeUpKinds = (gates: Gates) =>
  testPlugin('made-up', (api) => {
    api.origin({ kind: 'made-up', launchType: 'workflow' });
    for (const kind of [engineKind(api, gates), taskKind(api, gates), waitKind(api), answerKind(api)]) {
      api.runKind(kind);
      api.templateKind(templateOf(api, kind.template!, `${kind.resource.label} template`));
    }
  });
