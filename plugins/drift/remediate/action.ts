import {
  type Action,
  ApiError,
  authenticated,
  type Call,
  field,
  type PluginApi,
  type Row,
  ValidationError,
} from '@tapline/plugin-sdk';
import { limitProblemOf } from './limit.ts';
import { noteEnd } from './outcome.ts';
import { promptsFor, templateOf } from './template.ts';

/** `drift_detections/N/remediate/`: a job template is launched for the host of the drift, by the rights of who asks for it. */
export const remediateAction = (api: PluginApi): Action => ({
  access: { POST: authenticated },
  summary:
    'Launches a job template for the host alone, to put the drift right; who asks needs the right to launch it so',
  fields: {
    job_template: field.ref('job_template', {
      help: 'It has to ask for a limit. Where none is named, that of the oldest enabled rule about such drift.',
    }),
  },
  answers: { POST: { status: 201, type: 'drift_detection' } },
  async handler(call, { id }) {
    const template = await templateOf(api, call, id);
    const host = await hostOf(api, id);
    const prompts = await promptsFor(call, template, host);
    const run = await api.launch.start({
      template,
      prompts,
      actor: call.actor,
      origin: { kind: 'api', id: null, client_ip: call.ip },
      waiting: true,
      // one run for whoever asks twice at once; another one when that has ended
      once: `${id} ${call.actor?.id} ${template} ${host.remediation_job_id ?? 0}`,
    });
    await note(api, call, id, run.id);
    const [body] = await call.represent('drift_detection', [id], 'detail');
    return { status: 201, body };
  },
});

interface HostRow {
  name: string;
  enabled: boolean;
  inventory_id: number;
  remediation_job_id: number | null;
  under_way: boolean;
  groups: string[];
}

/** The host of a detection. @throws ApiError where no run can be for it alone, or one is under way */
async function hostOf({ db, table }: PluginApi, detection: number): Promise<HostRow> {
  const { rows } = await db.raw(
    `select h.name, h.enabled, h.inventory_id, d.remediation_job_id, r.id is not null and r.finished is null as under_way,
       array(select g.name from core_groups g where g.inventory_id = h.inventory_id and g.name = h.name) as groups
     from ${table('detections')} d join core_hosts h on h.id = d.host_id left join core_runs r on r.id = d.remediation_job_id
     where d.id = ?`,
    [detection],
  );
  const host = rows[0] as HostRow;
  if (host.under_way) throw new ApiError(409, `Run ${host.remediation_job_id} for it is under way.`);
  const problem = host.enabled ? limitProblemOf(host.name, new Set(host.groups)) : 'The host is disabled.';
  if (problem) throw new ValidationError({ __all__: [problem] });
  return host;
}

async function note(api: PluginApi, call: Call, id: number, run: number): Promise<void> {
  const detections = api.table('detections');
  await api.db.transaction(async (trx) => {
    const before: Row | undefined = await trx(detections).where({ id }).forUpdate().first();
    if (!before || before['remediation_job_id'] === run) return;
    const said = { remediation_job_id: run, remediation_status: 'launched' };
    const [row] = await trx(detections).where({ id }).update(said).returning('*');
    await call.written(trx, 'drift_detection', row as Row, before);
  });
  await noteEnd(api, run);
}
