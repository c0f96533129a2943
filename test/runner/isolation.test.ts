import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { engineUids } from '../../core/runner/isolation.ts';
import { processesOf } from '../chaos/processes.ts';
import { type Apart, startApart } from '../support/apart.ts';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { SourceRepository } from '../scm/repository.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const playbook = `- hosts: localhost
  gather_facts: false
  tasks:
    - command: id -u
      register: me
    - raw: cat {{ lookup('env', 'HOME') }}/../../../../keys.json
      failed_when: false
      register: keys
    - set_stats: {data: {user: "{{ me.stdout | int }}", reads_keys: "{{ keys.rc == 0 }}"}}
`;
const hanging = '- hosts: localhost\n  gather_facts: false\n  tasks:\n    - command: sleep 600\n';

/** As on a machine without bubblewrap: where it may lie there is a file that cannot be run. */
const noBubblewrap = () =>
  Object.fromEntries(['/usr/bin/bwrap', '/usr/local/bin/bwrap'].filter(existsSync).map((path) => [path, '/dev/null']));

const modes = [
  { mode: 'uid', unprivileged: false, user: (run: number) => engineUids.first + (run % 1000), readsKeys: false },
  // what the warning at the start says
  { mode: 'none', unprivileged: true, user: (_run: number, service: Apart) => service.uid, readsKeys: true },
];

for (const { mode, unprivileged, user, readsKeys } of modes)
  describeWith(
    ['root', 'unshare', ...(unprivileged ? ['a checkout open to all'] : [])],
    `runner: the isolation mode ${mode}`,
    function () {
      let folder: string;
      let service: Apart;
      let project: number;
      before(async () => {
        folder = mkdtempSync(join(tmpdir(), 'tapline-isolation-'));
        const source = new SourceRepository(folder);
        source.commit({ 'who.yml': playbook, 'hang.yml': hanging });
        service = await startApart({
          covered: noBubblewrap(),
          unprivileged,
          env: { TAPLINE_PROJECT_FILE_URLS: JSON.stringify([folder]) },
        });
        const made = await service.post('projects/', {
          name: 'git',
          organization: 1,
          scm_type: 'git',
          scm_url: source.url,
        });
        project = made.id;
        const update = await service.ended('project_updates', made.summary_fields.current_update.id);
        expect(update.status, update.job_explanation).to.equal('successful');
      });
      after(async () => {
        await service?.stop();
        removeFolder(folder);
      });

      const launch = async (name: string): Promise<number> => {
        const { id: inventory } = (await service.get('inventories/?name=Demo+Inventory')).results[0];
        const template = await service.post('job_templates/', { name, project, inventory, playbook: `${name}.yml` });
        return (await service.post(`job_templates/${template.id}/launch/`)).id;
      };
      const placeOf = (run: number) => join(service.dataDir, 'jobs', String(run));
      const nothingLeft = (run: number) => until(() => !existsSync(placeOf(run)) && !processesOf(placeOf(run)).length);

      it('runs a project update and a job from launch to end, as the user that it says', async () => {
        const run = await launch('who');
        const job = await service.ended('jobs', run);
        expect(job.status, `${job.job_explanation}\n${job.result_traceback}`).to.equal('successful');
        expect(job.artifacts).to.deep.equal({ user: user(run, service), reads_keys: readsKeys });
        expect(service.said()).to.contain('Playbooks run without a sandbox');
        await nothingLeft(run);
      });

      it('ends all that a canceled job has started', async () => {
        const run = await launch('hang');
        await until(async () => (await service.get(`jobs/${run}/`)).status === 'running');
        await until(() => processesOf(placeOf(run)).some(({ command }) => command.startsWith('sleep')));
        await service.post(`jobs/${run}/cancel/`);
        expect((await service.ended('jobs', run)).status).to.equal('canceled');
        await nothingLeft(run);
      });
    },
  );
