import { expect } from 'chai';
import type { Stage } from './stage.ts';

/** Nodes of a workflow as a client makes them. */
export function builder(stage: Stage, workflow: number) {
  const nodes = `workflow_job_templates/${workflow}/workflow_nodes/`;
  return {
    node: async (template: number | null, columns: object = {}): Promise<number> =>
      (await stage.make(nodes, { unified_job_template: template, ...columns })).id,
    async approval(name: string, columns: object = {}): Promise<number> {
      const { id } = await stage.make(nodes, {});
      await stage.make(`workflow_job_template_nodes/${id}/create_approval_template/`, { name, ...columns });
      return id;
    },
    async follow(from: number, kind: string, to: number): Promise<void> {
      const { status } = await stage.service.post(`workflow_job_template_nodes/${from}/${kind}_nodes/`, { id: to });
      expect(status).to.equal(204);
    },
  };
}
