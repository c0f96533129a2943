import { symlinkSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { type Stage, startStage } from '../../../test/launch/fixture.ts';
import { SourceRepository } from '../../../test/scm/repository.ts';
import { until } from '../../../test/support/until.ts';
import scanning from '../index.ts';
import { toolOf } from './tool.ts';

/** Finds something else each time, so that what is known can be told from what is asked anew. */
const tool = `printf '[{"check_name":"risky-octal","severity":"major","description":"%s","location":{"path":"link.yml","lines":{"begin":1}}},' "$(date +%s%N)"
printf '{"check_name":"name","severity":"major","description":"here","location":{"path":"site.yml","lines":{"begin":3}}}]'
exit 2
`;
const play = '- hosts: all\n  gather_facts: false\n  vars: {colour: "rèd"}\n  tasks: []\n';

describe('what a tool said of a commit', function () {
  this.timeout(300_000);
  let stage: Stage;
  let source: SourceRepository;
  let project: number;
  let template: number;
  let other: number;
  let scanner: string;
  let program: string;

  const must = async (answer: Promise<{ status: number; body: any; text: string }>, status: number) => {
    const { status: is, body, text } = await answer;
    expect(is, text).to.equal(status);
    return body;
  };
  const patch = (path: string, body: object) => must(stage.request('PATCH', path, { body }), 200);
  const set = (settings: object) => patch('settings/security/', settings);
  const answers = () => stage.services.db('plugin_scanning.answers');
  const kept = async () => Number((await answers().count({ n: '*' }).first())!['n']);

  before(async () => {
    source = new SourceRepository();
    symlinkSync('/etc/passwd', join(source.folder, 'link.yml'));
    symlinkSync('/etc/passwd', join(source.folder, 'requirements.txt'));
    source.commit({ 'site.yml': play, 'other.yml': play });
    stage = await startStage({ TAPLINE_PROJECT_FILE_URLS: dirname(source.folder) }, [scanning]);
    program = toolOf(tool);
    const columns = { name: 'git', organization: 1, scm_type: 'git', scm_url: source.url };
    project = (await must(stage.post('projects/', columns), 201)).id;
    await until(async () => (await stage.get(`projects/${project}/`)).body.status === 'successful');
    template = await stage.template({ project, playbook: 'site.yml', allow_simultaneous: true });
    other = await stage.template({ project, playbook: 'other.yml' });
    await set({ SCANNER_ENABLED: true, SCANNER_COMMANDS: { playbook_lint: program } });
    // what it finds stops launches, so that no job is run here
    const strict = { name: 'strict', tool: 'playbook_lint', enforcement: 'enforce', organization: 1 };
    scanner = (await must(stage.post('scanners/', strict), 201)).url;
  });
  after(() => stage?.stop());
  afterEach(() => set({ SCANNER_CACHE_DAYS: 7 }));

  const said = async (launched = template): Promise<string> =>
    (await must(stage.post(`job_templates/${launched}/launch/`), 403)).reasons[0];
  const last = async () => must(stage.get((await stage.get('scan_results/?page_size=1')).body.results[0].url), 200);

  it('is asked once, by whoever comes first, and is read from the database', async () => {
    const both = await Promise.all([said(), said()]);
    expect(both[0]).to.match(/^\d+$/).and.to.equal(both[1]);
    const twin = await stage.template({ project, playbook: 'site.yml' });
    expect([await said(), await said(twin)]).to.deep.equal([both[0], both[0]]);
    expect(await kept()).to.equal(1);
    const [{ answer }] = await answers().select('answer');
    answer.findings[0].message = 'from the table';
    await answers().update({ answer: JSON.stringify(answer) });
    expect(await said()).to.equal('from the table');
    const result = await last();
    expect(result).to.include({ status: 'blocked', finding_count: 2 });
    expect(result.raw_output).to.include('risky-octal');
  });

  it('is another one of another playbook, configuration and program, and the same again of the first', async () => {
    const first = await said();
    expect(await said(other)).to.not.equal(first);
    await patch(scanner, { config: { skip: ['yaml'] } });
    expect(await said()).to.not.equal(first);
    await patch(scanner, { config: {} });
    expect(await said()).to.equal(first);
    utimesSync(program, 1, 1);
    expect(await said()).to.not.equal(first);
  });

  it('is known before the first launch where the project was updated', async () => {
    await answers().delete();
    const revision = source.commit({ 'site.yml': `${play}# changed\n` });
    await must(stage.post(`projects/${project}/update/`), 202);
    // of both playbooks, each once however many templates run it
    await until(async () => (await kept()) === 2);
    const known = await answers().pluck('answer');
    expect(known.map(({ findings }) => findings[0].message)).to.include(await said());
    expect(await last()).to.include({ revision, project, duration_ms: 0 });
  });

  it('is not kept where the setting says so', async () => {
    await answers().delete();
    await set({ SCANNER_CACHE_DAYS: 0 });
    const told = [await said(), await said()];
    expect(told[0]).to.not.equal(told[1]);
    expect(await kept()).to.equal(0);
  });

  it('goes when it holds no more, and counts no more before', async () => {
    const first = await said();
    await answers().update({ expires: '2020-01-01' });
    expect(await said()).to.not.equal(first);
    await answers().insert({ asked: 'old', answer: '{}', bytes: 2, expires: '2020-01-01' });
    await answers().insert({
      asked: 'much',
      answer: '{}',
      bytes: 300_000_000,
      created: '2020-01-01',
      expires: '2999-01-01',
    });
    const { db, queue } = stage.services;
    await queue.addTasks(db, [{ name: 'scanning:remove-answers', payload: {} }]);
    await until(async () => (await answers().whereIn('asked', ['old', 'much'])).length === 0);
    expect(await kept()).to.be.greaterThan(0);
  });

  describe('is shown', () => {
    it('with the lines that it is about, to who reads the project; none of what lies outside of it', async () => {
      await said();
      const result = await last();
      const here = result.findings.find(({ rule_id: rule }: any) => rule === 'name');
      expect(result.findings).to.have.length(2);
      expect(here).to.not.have.property('excerpt');
      const lines = ['- hosts: all', '  gather_facts: false', '  vars: {colour: "rèd"}', '  tasks: []', '# changed'];
      expect(result.excerpts).to.deep.equal([{ finding: here.id, first: 1, lines }]);

      const { id: user } = await must(stage.post('users/', { username: 'reader', password: 'reader-Password-1' }), 201);
      const as = { headers: { authorization: `Basic ${btoa('reader:reader-Password-1')}` } };
      const grant = async (path: string) => {
        const { read_role: role } = (await must(stage.get(path), 200)).summary_fields.object_roles;
        await must(stage.post(`users/${user}/roles/`, { id: role.id }), 204);
      };
      await grant(`job_templates/${template}/`);
      const without = await must(stage.request('GET', result.url, as), 200);
      expect(without.findings).to.deep.equal(result.findings);
      expect(without).to.not.have.property('excerpts');
      await grant(`projects/${project}/`);
      expect((await must(stage.request('GET', result.url, as), 200)).excerpts).to.deep.equal(result.excerpts);
    });

    it('as an error where a file is a link out of the project', async () => {
      const columns = { name: 'audit', tool: 'dependency_audit', organization: 1 };
      await set({ SCANNER_COMMANDS: { playbook_lint: program, dependency_audit: program } });
      const { id, url } = await must(stage.post('scanners/', columns), 201);
      await said();
      const [result] = (await stage.get(`scan_results/?scanner=${id}`)).body.results;
      expect(result).to.include({ status: 'error', message: 'requirements.txt leads out of the project.' });
      await must(stage.request('DELETE', url), 204);
    });
  });
});
