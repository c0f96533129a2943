import { expect } from 'chai';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ContentService, Launch, LaunchContent, LaunchWork } from '@tapline/plugin-sdk';
import { type Stage, startStage } from '../launch/fixture.ts';
import { SourceRepository } from '../scm/repository.ts';
import { testPlugin } from '../support/plugins.ts';
import { until } from '../support/until.ts';

const says = (text: string) => `- hosts: all\n  gather_facts: false\n  tasks:\n    - debug: {msg: ${text}}\n`;

interface Look {
  content: LaunchContent | null;
  files: string[];
  site: string;
  writable: boolean;
}

describe('the content of a launch', function () {
  let stage: Stage;
  let source: SourceRepository;
  let looks: Look[];
  let onLook: (launch: Launch) => Promise<void>;
  let contents: () => ContentService;

  const look = async ({ content: get }: Launch) => {
    const content = await get();
    const files = content ? readdirSync(content.folder, { recursive: true }).map(String).toSorted() : [];
    const site = files.includes('site.yml') ? join(content!.folder, 'site.yml') : undefined;
    looks.push({
      content,
      files,
      site: site ? readFileSync(site, 'utf8') : '',
      writable: site !== undefined && (statSync(site).mode & 0o222) !== 0,
    });
  };

  before(async () => {
    source = new SourceRepository();
    source.commit({ 'site.yml': says('first'), 'roles/web/tasks/main.yml': '[]\n' });
    source.git('branch', 'other');
    const plugin = testPlugin('scanner', (api) => {
      contents = () => api.contents;
      api.hooks.beforeStart({ name: 'scan', failMode: 'deny', timeoutMs: 60_000 }, async (launch) => {
        // the stage's own first updates are not looked at
        if (launch.run['kind'] === 'project_update' && launch.origin.kind !== 'api') return undefined;
        return onLook(launch);
      });
      api.hooks.beforeStart({ name: 'second', failMode: 'deny', stage: 900 }, async (launch) => {
        if (launch.run['kind'] === 'job') await look(launch);
      });
    });
    onLook = look;
    looks = [];
    stage = await startStage({ TAPLINE_PROJECT_FILE_URLS: dirname(source.folder) }, [plugin]);
  });
  after(() => stage.stop());
  beforeEach(() => {
    looks = [];
    onLook = look;
  });

  const updates = async (project: number) =>
    (await stage.get(`projects/${project}/project_updates/?order_by=id`)).body.results as any[];
  const project = async (body: object = {}) => {
    const fields = { name: `p${Math.random()}`, organization: 1, scm_type: 'git', scm_url: source.url, ...body };
    const answer = await stage.post('projects/', fields);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    const { id } = answer.body;
    await until(async () => (await updates(id)).every(({ finished }) => finished));
    looks = [];
    return id as number;
  };
  const template = (id: number, body: object = {}) => stage.template({ project: id, playbook: 'site.yml', ...body });
  const output = async (job: number) => (await stage.get(`jobs/${job}/stdout/?format=txt`)).text;
  const folders = () => {
    const root = join(stage.dataDir, 'contents');
    return existsSync(root) ? readdirSync(root) : [];
  };

  it('is the files of the commit, the same for all taps, read-only, and gone after the decision', async () => {
    const id = await project();
    const job = await stage.launch(await template(id));
    expect(looks).to.have.length(2);
    const [first, second] = looks;
    expect(first).to.deep.equal(second);
    expect(first!.files).to.deep.equal([
      'roles',
      'roles/web',
      'roles/web/tasks',
      'roles/web/tasks/main.yml',
      'site.yml',
    ]);
    expect(first).to.include({ site: says('first'), writable: false });
    const { project: named, revision, entries } = first!.content!;
    expect([named.id, revision, entries]).to.deep.equal([id, source.git('rev-parse', 'main'), ['site.yml']]);
    await until(() => folders().length === 0);
    expect(await stage.ended(job.id)).to.include({ status: 'successful', scm_revision: revision });
  });

  it('is what runs, whatever is fetched between decision and start', async () => {
    const id = await project();
    const before = source.git('rev-parse', 'main');
    onLook = async (launch) => {
      if (launch.run['kind'] !== 'job') return;
      await look(launch);
      source.commit({ 'site.yml': says('swapped') });
      expect((await stage.post(`projects/${id}/update/`)).status).to.equal(202);
      await until(async () => (await updates(id)).length === 2 && (await updates(id)).every((one) => one.finished));
    };
    const job = await stage.ended((await stage.launch(await template(id))).id);
    expect(job).to.include({ status: 'successful', scm_revision: before });
    expect(await output(job.id)).to.include('first');
    expect((await stage.get(`projects/${id}/`)).body.scm_revision).to.not.equal(before);
  });

  it('of a project that is updated on launch is what that update fetched, which is the only one', async () => {
    const id = await project();
    await stage.request('PATCH', `projects/${id}/`, { body: { scm_update_on_launch: true } });
    const revision = source.commit({ 'site.yml': says('fetched') });
    const launched = await stage.launch(await template(id));
    expect(looks[0]).to.include({ site: says('fetched') });
    const job = await stage.ended(launched.id);
    expect(job).to.include({ status: 'successful', scm_revision: revision });
    const all = await updates(id);
    expect(all).to.have.length(2);
    expect(all[1]).to.include({ launch_type: 'dependency' });
    expect(job.summary_fields.project_update.id).to.equal(all[1].id);
  });

  it('is shared by launches at once: one update serves them', async () => {
    const id = await project();
    await stage.request('PATCH', `projects/${id}/`, { body: { scm_update_on_launch: true } });
    const one = await template(id, { allow_simultaneous: true });
    const jobs = await Promise.all([stage.launch(one), stage.launch(one)]);
    for (const { id: job } of jobs) expect((await stage.ended(job)).status).to.equal('successful');
    expect((await updates(id)).length).to.be.within(2, 3);
  });

  it('is of another branch where the template or the launch asks for one', async () => {
    const id = await project({ allow_override: true });
    const other = source.git('rev-parse', 'other');
    const job = await stage.launch(await template(id, { ask_scm_branch_on_launch: true }), { scm_branch: 'other' });
    expect(looks[0]!.content!.revision).to.equal(other);
    expect(looks[0]!.site).to.equal(says('first'));
    expect(await stage.ended(job.id)).to.include({ status: 'successful', scm_revision: other });

    const said: string[] = [];
    onLook = async (launch) => {
      await launch.content().catch((error: Error) => void said.push(error.message));
    };
    const none = await stage.post(`job_templates/${await template(id, { scm_branch: 'nowhere' })}/launch/`);
    expect(none.status).to.equal(403);
    expect(said[0]).to.match(/has no branch, tag or commit "nowhere"/);
  });

  it('is the folder of a manual project, links left as they are', async () => {
    const folder = join(stage.dataDir, 'projects', 'by-hand');
    mkdirSync(folder);
    writeFileSync(join(folder, 'site.yml'), says('by hand'));
    const id = (await stage.post('projects/', { name: 'by hand', organization: 1, local_path: 'by-hand' })).body.id;
    const job = await stage.launch(await template(id));
    expect(looks[0]!.content).to.deep.include({ revision: '', entries: ['site.yml'] });
    expect(looks[0]!.site).to.equal(says('by hand'));
    expect((await stage.ended(job.id)).status).to.equal('successful');
  });

  describe('of a workflow', () => {
    const made = async (path: string, body: object) => {
      const answer = await stage.post(path, body);
      expect(answer.status, answer.text).to.equal(201);
      return answer.body;
    };
    const flow = async (name: string) =>
      (await made('workflow_job_templates/', { name, organization: 1, ask_scm_branch_on_launch: true })).id as number;
    const node = (parent: number, identifier: string, unified_job_template: number, body: object = {}) =>
      made(`workflow_job_templates/${parent}/workflow_nodes/`, { identifier, unified_job_template, ...body });
    /** What a tap finds at the launch of a workflow, before any node of it is launched. */
    const works = (read: (one: LaunchWork) => Promise<object> = async () => ({})) => {
      const found: any[] = [];
      onLook = async ({ run, content, contents }) => {
        if (run.kind !== 'workflow_job' || found.length) return;
        expect(await content()).to.equal(null);
        expect(await stage.services.db('runs').where({ parent_id: run.id })).to.deep.equal([]);
        const all = await contents();
        expect(await contents()).to.equal(all);
        for (const { content: files, ...one } of all)
          found.push({ ...one, ...(await read({ ...one, content: files })) });
      };
      return found;
    };
    const over = async (run: number) =>
      until(async () => (await stage.get(`workflow_jobs/${run}/`)).body.finished, 90_000);

    it('is that of its nodes, workflows within it included, each commit in one folder, and gone after the decision', async () => {
      source.commit({ 'site.yml': says('ahead of the other branch') });
      const id = await project({ allow_override: true });
      const other = source.git('rev-parse', 'other');
      const playbook = await template(id, { ask_scm_branch_on_launch: true, allow_simultaneous: true });
      const byHand = await stage.template({ playbook: 'quick.yml' });
      const [outer, inner] = [await flow('outer of contents'), await flow('inner of contents')];
      await node(outer, 'own branch', playbook);
      await node(outer, 'other branch', playbook, { scm_branch: 'other' });
      await node(outer, 'within', inner);
      await node(outer, 'again within', inner);
      await node(outer, 'no playbook', id);
      await node(inner, 'by hand', byHand);
      await node(inner, 'not again', outer);
      const found = works(async ({ content: get }) => {
        const [content, again] = [await get(), await get()];
        expect(again).to.equal(content);
        const path = join(content.folder, content.entries[0]!);
        const { folder, revision, entries } = content;
        return { folder, revision, entries, text: readFileSync(path, 'utf8'), mode: statSync(path).mode & 0o222 };
      });
      const run = await made(`workflow_job_templates/${outer}/launch/`, {});
      const told = found.map(({ node: identifier, workflow, revision, mode, entries }) => [
        identifier,
        workflow?.id ?? null,
        revision,
        mode,
        entries,
      ]);
      const main = source.git('rev-parse', 'main');
      expect(told).to.have.deep.members([
        ['own branch', null, main, 0, ['site.yml']],
        ['other branch', null, other, 0, ['site.yml']],
        ['by hand', inner, '', 0, ['quick.yml']],
        // the workflow that lies within itself: its nodes are those of the launch, once more
        ['own branch', outer, main, 0, ['site.yml']],
        ['other branch', outer, other, 0, ['site.yml']],
      ]);
      const [first] = found.filter((one) => one.node === 'own branch');
      expect(first.template.id).to.equal(playbook);
      expect(first.project.id).to.equal(id);
      expect(new Set(found.map(({ folder }) => folder)).size).to.equal(3);
      expect(found.find((one) => one.node === 'by hand').text).to.include('hello');
      await until(() => folders().length === 0);
      await over(run.id);
    });

    it('follows the branch of the launch, and is no part of the files of its jobs', async () => {
      const id = await project({ allow_override: true });
      const one = await template(id, { ask_scm_branch_on_launch: true });
      const outer = await flow('of a branch');
      await node(outer, 'asks', one, { scm_branch: 'nowhere' });
      const found = works(async ({ content: get, scm_branch }) => ({ scm_branch, revision: (await get()).revision }));
      const run = await made(`workflow_job_templates/${outer}/launch/`, { scm_branch: 'other' });
      expect(found[0]).to.include({ scm_branch: 'other', revision: source.git('rev-parse', 'other') });
      await over(run.id);
    });

    it('brings a project up to date that is updated on launch, once; a failure of that is the node’s alone', async () => {
      const id = await project();
      await stage.request('PATCH', `projects/${id}/`, { body: { scm_update_on_launch: true } });
      const broken = await project();
      await stage.request('PATCH', `projects/${broken}/`, { body: { scm_update_on_launch: true, scm_branch: 'gone' } });
      await until(async () => (await updates(broken)).every(({ finished }) => finished));
      const revision = source.commit({ 'site.yml': says('fetched for a workflow') });
      const outer = await flow('updated first');
      await node(outer, 'one', await template(id));
      await node(outer, 'two', await template(id));
      await node(outer, 'broken', await template(broken));
      const before = (await updates(id)).length;
      const found = works(async ({ content: get }) => ({
        ...(await get().catch(({ message }: Error) => ({ message }))),
        updates: (await updates(id)).length,
      }));
      const run = await made(`workflow_job_templates/${outer}/launch/`, {});
      expect(found.filter((one) => one.node !== 'broken').map((one) => one.revision)).to.deep.equal([
        revision,
        revision,
      ]);
      expect(found.find((one) => one.node === 'broken').message).to.match(/^The update of the project ended as failed/);
      expect(found.at(-1).updates).to.equal(before + 1);
      const nodes = async () => (await stage.get(`workflow_jobs/${run.id}/workflow_nodes/`)).body.results as any[];
      // the workflow itself began, and the jobs of the other project went
      await over(run.id);
      const ends = Object.fromEntries(
        (await nodes()).map((each) => [each.identifier, each.summary_fields.job?.status]),
      );
      expect(ends).to.include({ one: 'successful', two: 'successful' });
      expect(ends['broken']).to.not.equal('successful');
    });
  });

  it('names the playbook of a job, with the files of its launch', async () => {
    const id = await project();
    const one = await template(id);
    let same: unknown[] = [];
    onLook = async ({ content, contents }) => {
      const all = await contents();
      expect(all).to.have.length(1);
      expect(all[0]).to.include({ node: null, workflow: null, playbook: 'site.yml', scm_branch: '' });
      expect([all[0]!.template!.id, all[0]!.project.id]).to.deep.equal([one, id]);
      same = [await all[0]!.content(), await content()];
    };
    const job = await stage.launch(one);
    expect(same[0]).to.be.an('object').that.equals(same[1]);
    await stage.ended(job.id);
  });

  it('is told of before it is made, and is made of that commit then', async () => {
    const id = await project();
    const told: unknown[] = [];
    onLook = async ({ content, contents: all }) => {
      const [work] = await all();
      const source = await work!.source();
      const made = folders();
      const { folder, ...same } = (await content())!;
      told.push(source, made, same, folder.length > 0);
    };
    await stage.ended((await stage.launch(await template(id))).id);
    const revision = source.git('rev-parse', 'main');
    const named = { id, name: (await stage.get(`projects/${id}/`)).body.name };
    const settled = { project: named, revision, state: revision, entries: ['site.yml'] };
    expect(told).to.deep.equal([settled, [], settled, true]);
  });

  it('of a project outside of a launch is what its templates would run, and goes with the work', async () => {
    const id = await project({ allow_override: true });
    const one = await template(id);
    await template(id);
    await template(id, { scm_branch: 'other' });
    await template(id, { scm_branch: 'gone' });
    const { signal } = new AbortController();
    const read = async ({ template: of, node, scm_branch, source: settle, content }: LaunchWork) => {
      const { revision } = await settle().catch(({ message }: Error) => ({ revision: message }));
      const { folder } = await content().catch(() => ({ folder: '' }));
      const text = folder && readFileSync(join(folder, 'site.yml'), 'utf8');
      return { of: of!.id, node, scm_branch, revision, text: text.length > 0 };
    };
    const before = (await updates(id)).length;
    const works = await contents().ofProject(id, { signal }, (all) => Promise.all(all.map(read)));
    expect(works).to.have.length(3);
    expect(works[0]).to.deep.include({ of: one, node: null, revision: source.git('rev-parse', 'main'), text: true });
    const other = works.find(({ scm_branch: branch }) => branch === 'other');
    expect(other).to.include({ revision: source.git('rev-parse', 'other'), text: true });
    expect(works.find(({ scm_branch: branch }) => branch === 'gone')!.revision).to.include('no branch');
    expect(folders()).to.deep.equal([]);
    expect((await updates(id)).length).to.equal(before);
    const thrown = await contents()
      .ofProject(id, { signal }, async ([first]) => {
        await first!.content();
        throw new Error('by the work');
      })
      .catch(({ message }: Error) => message);
    expect([thrown, folders()]).to.deep.equal(['by the work', []]);
    expect(await contents().ofProject(0, { signal }, async (all) => all)).to.deep.equal([]);
  });

  it('is none where a run uses no files', async () => {
    const id = await project();
    await stage.post(`projects/${id}/update/`);
    expect(looks).to.deep.equal([{ content: null, files: [], site: '', writable: false }]);
    await until(async () => (await updates(id)).every(({ finished }) => finished));
  });

  it('is refused where it is larger than the settings allow, before it is written', async () => {
    const id = await project();
    const said: string[] = [];
    onLook = async (launch) => {
      await launch.content().catch((error: Error) => void said.push(error.message));
      const written = folders().filter((name) => existsSync(join(stage.dataDir, 'contents', name, 'site.yml')));
      expect(written).to.deep.equal([]);
    };
    const one = await template(id);
    for (const [key, value] of Object.entries({ CHECKOUT_MAX_FILES: 1, CHECKOUT_MAX_BYTES: 20 })) {
      await stage.request('PATCH', 'settings/jobs/', { body: { [key]: value } });
      // the second tap fails on it and so refuses the launch
      const answer = await stage.post(`job_templates/${one}/launch/`);
      expect([answer.status, said.at(-1)?.includes(key)]).to.deep.equal([403, true]);
      await stage.request('PATCH', 'settings/jobs/', { body: { [key]: 0 } });
    }
    onLook = look;
    expect((await stage.ended((await stage.launch(one)).id)).status).to.equal('successful');
  });

  it('is removed at the next start where the service died meanwhile', async () => {
    const { nodeName } = stage.services.config;
    for (const name of ['999999', `projects-${nodeName}-x`]) {
      const left = join(stage.dataDir, 'contents', name);
      mkdirSync(join(left, 'roles'), { recursive: true });
      chmodSync(left, 0o555);
    }
    await stage.services.contents.removeLeftOvers();
    expect(folders()).to.deep.equal([]);
  });

  it('is refused with the reason where the update fails, and the run does not go on without it', async () => {
    const id = await project();
    await stage.request('PATCH', `projects/${id}/`, { body: { scm_update_on_launch: true, scm_branch: 'gone' } });
    await until(async () => (await updates(id)).every(({ finished }) => finished));
    const said: string[] = [];
    onLook = async (launch) => {
      await launch.content().catch((error: Error) => void said.push(error.message));
    };
    const answer = await stage.post(`job_templates/${await template(id)}/launch/`);
    expect(answer.status).to.equal(403);
    expect(said[0]).to.match(/^The update of the project ended as failed \(project_update \d+\)/);
  });
});
