import { type Action, ApiError, authenticated, type Call, field, type PluginApi } from '@tapline/plugin-sdk';
import { noteLaunch } from './outcome.ts';
import { targetOf, underWay } from './target.ts';
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
  answers: { POST: { status: 201, type: 'job', fields: { job: field.integer() } } },
  launches: 201,
  async handler(call, detection) {
    const { id } = detection;
    const template = await templateOf(api, call, detection);
    const target = await targetOf(api, id);
    const prompts = await promptsFor(call, template, target);
    const run = await api.launch.start({
      template,
      prompts,
      actor: call.actor,
      origin: { kind: 'api', id: null, client_ip: call.ip },
      waiting: true,
      // whoever asks at once is given the same run: a drift is put right by one at a time
      once: `${id} ${target.remediations}`,
    });
    const noted = await noteLaunch(api, call, { detection: id, run: run.id, seen: target.remediations });
    if (noted !== run.id || !(await isOf(api, run.id, { template, actor: call.actor?.id })))
      throw underWay(noted ?? run.id);
    return answer(call, run);
  },
});

/** Whether it is the run that was asked for here, and not that of somebody who asked at the same time. */
async function isOf({ db }: PluginApi, run: number, asked: { template: number; actor: number | undefined }) {
  const row = await db('core_runs').where({ id: run }).first('template_id', 'actor_id');
  return row?.template_id === asked.template && row.actor_id === (asked.actor ?? null);
}

/** As every launch is answered: a client that sends it again with its key has to be told the same. */
async function answer(call: Call, { id, kind }: { id: number; kind: string }) {
  const [shown] = await call.represent(kind, [id], 'detail');
  if (!shown) throw new ApiError(409, `Run ${id} for it was deleted.`);
  return { status: 201, headers: { Location: shown.url }, body: { [kind]: id, ...shown } };
}
