import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import { SourceRepository } from '../scm/repository.ts';
import { describeWith } from '../support/needs.ts';
import { adminPassword, startService, type TestService } from '../support/service.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const sail = `- hosts: all
  gather_facts: false
  tasks:
    - debug: {msg: "{{ course }} at {{ knots }} knots, {{ wind }} wind, by the light of {{ light_address }}"}
`;

describeWith(['awx.awx', 'git'], 'The awx.awx collection', function () {
  let service: TestService;
  let source: SourceRepository;
  let home: string;

  before(async () => {
    source = new SourceRepository();
    source.commit({ 'sail.yml': sail, 'ships.yml': 'all: {children: {sailing: {hosts: {bark: {}, brig: {}}}}}\n' });
    service = await startService({ TAPLINE_PROJECT_FILE_URLS: dirname(source.folder) });
    home = mkdtempSync(join(tmpdir(), 'tapline-collection-'));
  });
  after(async () => {
    await service?.stop();
    if (home) removeFolder(home);
  });

  /** Whether each task changed something, by its name; throws where one failed. */
  async function play(book: string, ...more: string[]): Promise<Map<string, boolean>> {
    const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
      execFile(
        join(root, '.tools', 'engine', 'bin', 'ansible-playbook'),
        [
          '-i',
          'localhost,',
          '-e',
          JSON.stringify({ repository: source.url }),
          ...more,
          join(import.meta.dirname, book),
        ],
        {
          cwd: home,
          env: {
            PATH: process.env.PATH,
            HOME: home,
            LC_ALL: 'C.UTF-8',
            ANSIBLE_COLLECTIONS_PATH: join(root, '.tools', 'collections'),
            ANSIBLE_NOCOLOR: '1',
            ANSIBLE_PIPELINING: '1',
            ANSIBLE_LOCAL_TEMP: join(home, 'local'),
            ANSIBLE_REMOTE_TEMP: join(home, 'remote'),
            CONTROLLER_HOST: service.url,
            CONTROLLER_REQUEST_TIMEOUT: '120',
            CONTROLLER_USERNAME: 'admin',
            CONTROLLER_PASSWORD: adminPassword,
          },
          maxBuffer: 50_000_000,
        },
        (_error, out, err) => resolve({ stdout: out, stderr: err }),
      );
    });
    if (/^(fatal|ERROR|\[ERROR\])/m.test(stdout + stderr) || !stdout.includes('PLAY RECAP'))
      throw new Error(stdout + stderr);
    const said = [...stdout.matchAll(/^TASK \[(.*)\] \*+\n(?:.*\n)*?(ok|changed): \[localhost\]/gm)];
    return new Map(said.map(([, name, how]) => [name!, how === 'changed']));
  }

  const declared = (tasks: Map<string, boolean>) => [...tasks].filter(([name]) => name.endsWith('is declared'));

  /** The module compares an approval with the fields of its node, which no approval has: it says so of any service. */
  const always = ['The workflow with its nodes is declared'];

  for (const [book, what, again] of [
    ['collection.yml', 'everything', []],
    ['workflows.yml', 'workflows, schedules and notifications', always],
  ] as const)
    it(`sets ${what} up, runs it, and finds nothing to change the next time`, async () => {
      const first = declared(await play(book));
      expect(first).to.have.length.above(15);
      expect(first.filter(([, changed]) => !changed)).to.deep.equal([]);

      const second = declared(await play(book, '--skip-tags', 'started'));
      expect(second).to.have.length(first.length);
      expect(second.filter(([, changed]) => changed).map(([name]) => name)).to.deep.equal(again);
    });
});
