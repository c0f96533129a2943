import { expect } from 'chai';
import type { Core } from '@tapline/plugin-sdk/testing';
import { until } from '../support/until.ts';

/** Workflows as clients make them and look at them. */
export function workflowsOf(core: Core) {
  let count = 0;
  const must = async (answer: Promise<{ status: number; text: string; body: any }>, status: number) => {
    const { status: got, text, body } = await answer;
    expect(got, text).to.equal(status);
    return body;
  };
  const workflow = (columns = {}) =>
    must(core.admin.post('workflow_job_templates/', { name: `workflow ${++count}`, organization: 1, ...columns }), 201);
  const ended = (run: number) =>
    until(
      async () => {
        const { body } = await core.admin.get(`workflow_jobs/${run}/`);
        return body.finished ? body : undefined;
      },
      undefined,
      `that workflow job ${run} ends`,
    );
  return {
    must,
    workflow,
    ended,
    node: (parent: number, columns: object) =>
      must(core.admin.post(`workflow_job_templates/${parent}/workflow_nodes/`, columns), 201),
    follow: (from: number, kind: string, to: number, more = {}) =>
      must(core.admin.post(`workflow_job_template_nodes/${from}/${kind}_nodes/`, { id: to, ...more }), 204),
    launch: (id: number, body = {}) => must(core.admin.post(`workflow_job_templates/${id}/launch/`, body), 201),
    async nodesOf(run: number): Promise<Record<string, any>> {
      const { results } = await must(core.admin.get(`workflow_jobs/${run}/workflow_nodes/?page_size=200`), 200);
      return Object.fromEntries(results.map((one: any) => [one.identifier, one]));
    },
    asksPeople: (node: number, columns = {}) =>
      must(
        core.admin.post(`workflow_job_template_nodes/${node}/create_approval_template/`, {
          name: 'Shall we?',
          ...columns,
        }),
        201,
      ),
    /** The approval of a run that waits. */
    pending: (run: number) =>
      until(
        async () =>
          (await core.admin.get('workflow_approvals/?status=pending&order_by=-id')).body.results.find(
            (one: any) => one.summary_fields.workflow_job.id === run,
          ),
        undefined,
        'that an approval waits',
      ),
    /** Has word of its approvals sent, to nowhere. */
    notes: (id: number) =>
      must(
        core.admin.post(`workflow_job_templates/${id}/notification_templates_approvals/`, {
          name: `told ${++count}`,
          organization: 1,
          notification_type: 'webhook',
          notification_configuration: { url: 'http://127.0.0.1:9/', headers: {} },
        }),
        201,
      ),
    /** What there was word of, of the approvals of a run. */
    async noted(run: number): Promise<string[]> {
      const { results } = await must(core.admin.get(`workflow_jobs/${run}/notifications/?order_by=id`), 200);
      const ids = results.map(({ id }: { id: number }) => id);
      const events: string[] = await core.db('notifications').whereIn('id', ids).orderBy('id').pluck('event');
      return events.map((event) => event.replace(/.*\./, ''));
    },
  };
}
