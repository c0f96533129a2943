import { expect } from 'chai';
import { eventId } from '../../core/events/event-id.ts';
import { type Api, startApi } from '../support/api.ts';
import { createRun, createSpool, eventsOf, follow, textOf } from './spool.ts';

const red = (text: string) => `\x1b[0;31m${text}\x1b[0m`;
const long = 'x'.repeat(1500);

describe('events over the API', () => {
  let api: Api;
  let run: any;
  let update: any;
  let host: number;
  let group: number;
  let text: string;
  before(async () => {
    api = await startApi({ EVENT_STDOUT_MAX_BYTES_DISPLAY: '1024' });
    const [{ id: inventory }] = await api.db('inventories').insert({ name: 'i' }).returning('id');
    [{ id: host }] = await api.db('hosts').insert({ name: 'a', inventory_id: inventory }).returning('id');
    const groups = await api
      .db('groups')
      .insert(['outer', 'inner'].map((name) => ({ name, inventory_id: inventory })))
      .returning('id');
    group = groups[0].id;
    await api.db('group_children').insert({ parent_id: group, child_id: groups[1].id });
    await api.db('group_hosts').insert({ group_id: groups[1].id, host_id: host });
    const [template] = await api.db('templates').insert({ kind: 'job_template', name: 'template' }).returning('*');
    run = await createRun(api.db, { inventory_id: inventory, template_id: template.id, name: 'job <one>' });
    const spool = createSpool();
    const book = spool.emit('playbook_on_start', '', { playbook: 'p.yml', uuid: 'u' });
    const play = spool.emit('playbook_on_play_start', '\nPLAY [all] ***\n', { play: 'all' }, { parent_uuid: book });
    const task = spool.emit(
      'playbook_on_task_start',
      '\nTASK [r : say] ***\n',
      { play: 'all', task: 'say', role: 'r' },
      { parent_uuid: play },
    );
    spool.emit(
      'runner_on_ok',
      `${red(`ok: ${long}`)}\n`,
      { host: 'a', play: 'all', task: 'say', role: 'r', res: { changed: true } },
      { parent_uuid: task },
    );
    spool.print('[WARNING]: <careful> & "so"\n');
    spool.emit('runner_on_failed', `${red('fatal')}: [b]\n`, { host: 'b', res: {} }, { parent_uuid: task });
    spool.emit(
      'playbook_on_stats',
      '\nPLAY RECAP\na : ok=1',
      { ok: { a: 1 }, changed: { a: 1 }, failures: { b: 1 } },
      { parent_uuid: book },
    );
    await follow({ db: api.db, run, spool });
    text = textOf(await eventsOf(api.db, run));
    await api.db('runs').where({ id: run.id }).update({ status: 'failed', finished: api.db.fn.now() });
    spool.remove();
    update = await createRun(api.db, { kind: 'project_update', status: 'successful' });
    const other = createSpool();
    other.emit('runner_on_ok', 'fetched\n', { res: {} });
    await follow({ db: api.db, run: update, spool: other });
    other.remove();
  });
  after(() => api.stop());

  const get = (path: string, headers?: Record<string, string>) =>
    api.admin('GET', `/api/v2/${path}`, undefined, headers);
  const list = async (query = '') => (await get(`jobs/${run.id}/job_events/${query}`)).body;

  it('lists them in order with every field', async () => {
    const { status, body, headers } = await get(`jobs/${run.id}/job_events/`);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(headers.get('x-ui-max-events')).to.equal('4000');
    expect(body.count).to.equal(7);
    expect(body.results.map((e: any) => e.counter)).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
    const event = body.results[3];
    expect(event).to.include({
      id: eventId(run.id, 4),
      type: 'job_event',
      url: `/api/v2/job_events/${eventId(run.id, 4)}/`,
      job: run.id,
      event: 'runner_on_ok',
      event_level: 3,
      event_display: 'Host OK',
      changed: true,
      failed: false,
      host,
      host_name: 'a',
      play: 'all',
      task: 'say',
      role: 'r',
      start_line: 4,
      end_line: 5,
      verbosity: 0,
    });
    expect(event.related).to.deep.equal({
      job: `/api/v2/jobs/${run.id}/`,
      host: `/api/v2/hosts/${host}/`,
      children: `/api/v2/job_events/${event.id}/children/`,
    });
    expect(event.summary_fields.job).to.include({
      id: run.id,
      name: 'job <one>',
      status: 'failed',
      failed: true,
      type: 'job',
      job_template_name: 'template',
    });
    expect(event.summary_fields.host).to.include({ id: host, name: 'a' });
    expect(event.summary_fields.role).to.deep.equal({});
    expect(body.results.map((e: any) => e.event_display).slice(0, 3)).to.deep.equal([
      'Playbook Started',
      'Play Started (all)',
      'Task Started (r | say)',
    ]);
    expect(body.results[4]).to.include({ event: 'verbose', host: null });
    expect(event).not.to.have.any.keys('run_id', 'open_line', 'run_kind');
  });

  it('cuts long texts in lists only, closing colours', async () => {
    const { results } = await list();
    expect(results[3].stdout).to.equal(`${`\x1b[0;31mok: ${long}`.slice(0, 1023)}…\x1b[0m`);
    expect((await list('?no_truncate=True')).results[3].stdout).to.equal(red(`ok: ${long}`));
    expect((await get(`job_events/${eventId(run.id, 4)}/`)).body.stdout).to.equal(red(`ok: ${long}`));
  });

  it('answers limit and count_disabled with results alone', async () => {
    const limited = await list('?limit=2');
    expect(Object.keys(limited)).to.deep.equal(['results']);
    expect(limited.results).to.have.length(2);
    expect(Object.keys(await list('?count_disabled=1'))).to.deep.equal(['results']);
  });

  const filters: [string, number[]][] = [
    ['?counter__gte=3&counter__lt=5', [3, 4]],
    ['?counter__in=2,7', [2, 7]],
    ['?event=runner_on_ok', [4]],
    ['?event__in=runner_on_ok,runner_on_failed', [4, 6]],
    ['?or__event=verbose&or__event=playbook_on_stats', [5, 7]],
    ['?event__startswith=playbook_on', [1, 2, 3, 7]],
    ['?failed=true', [1, 2, 3, 6, 7]],
    ['?host_name=b', [6]],
    ['?host__name=a', [4]],
    ['?uuid=u2', [2]],
    ['?parent_uuid=u3', [4, 6]],
    ['?stdout__icontains=RECAP', [7]],
    ['?not__stdout=', [2, 3, 4, 5, 6, 7]],
    ['?search=careful', [5]],
    ['?search="fatal: [b]"', [6]],
    ['?search=[0;31m', []],
    ['?start_line__gte=5&order_by=start_line', [5, 6, 7]],
    ['?order_by=-counter&page_size=2', [7, 6]],
    ['?task=say&role=r', [3, 4]],
    ['?page=2&page_size=3', [4, 5, 6]],
  ];
  for (const [query, counters] of filters) {
    it(`filters by ${query}`, async () =>
      expect(
        (await list(query)).results?.map((e: any) => e.counter),
        query,
      ).to.deep.equal(counters));
  }

  it('finds one by its id, and by filter on it, through the key', async () => {
    expect((await get(`job_events/${eventId(run.id, 2)}/`)).body.counter).to.equal(2);
    expect((await list(`?id=${eventId(run.id, 2)}`)).results.map((e: any) => e.counter)).to.deep.equal([2]);
    for (const id of [eventId(run.id, 99), eventId(run.id + 1000, 1), eventId(update.id, 1), 5])
      expect((await get(`job_events/${id}/`)).status, String(id)).to.equal(404);
    expect((await get('job_events/')).status).to.equal(404);
  });

  it('lists children, and what concerns a host or a group', async () => {
    expect(
      (await get(`job_events/${eventId(run.id, 3)}/children/`)).body.results.map((e: any) => e.counter),
    ).to.deep.equal([4, 6]);
    expect((await get(`job_events/${eventId(run.id, 5)}/children/`)).body.count).to.equal(0);
    for (const path of [`hosts/${host}`, `groups/${group}`]) {
      expect((await get(`${path}/job_events/`)).body.results.map((e: any) => e.counter)).to.deep.equal([4]);
      expect((await get(`${path}/job_host_summaries/`)).body.results.map((s: any) => s.host_name)).to.deep.equal(['a']);
    }
  });

  it('lists host summaries of a job', async () => {
    const { body } = await get(`jobs/${run.id}/job_host_summaries/?order_by=host_name`);
    expect(body.results.map((s: any) => [s.host_name, s.ok, s.failures, s.failed])).to.deep.equal([
      ['a', 1, 0, false],
      ['b', 0, 1, true],
    ]);
    const one = (await get(`job_host_summaries/${body.results[0].id}/`)).body;
    expect(one).to.include({ type: 'job_host_summary', job: run.id, host, constructed_host: null, changed: 1 });
    expect(one.summary_fields).to.have.all.keys('job', 'host');
    expect((await get(`jobs/${run.id}/job_host_summaries/?failures__gt=0`)).body.count).to.equal(1);
  });

  it('lists the events of a project update without an address', async () => {
    const { body, headers } = await get(`project_updates/${update.id}/events/`);
    expect(body.results[0]).to.include({
      type: 'project_update_event',
      url: '',
      project_update: update.id,
      host_name: 'localhost',
      stdout: 'fetched',
    });
    expect(body.results[0]).not.to.have.any.keys('job', 'host', 'parent_uuid');
    expect(headers.get('x-ui-max-events')).to.equal('4000');
  });

  it('sums up the tree', async () => {
    const { body } = await get(`jobs/${run.id}/job_events/children_summary/`);
    expect(body).to.deep.equal({
      children_summary: {
        1: { rowNumber: 0, numChildren: 6 },
        2: { rowNumber: 1, numChildren: 4 },
        3: { rowNumber: 2, numChildren: 3 },
      },
      meta_event_nested_uuid: { 5: 'u3' },
      event_processing_finished: true,
      is_tree: true,
    });
  });

  it('shows nothing to others', async () => {
    for (const path of [
      `jobs/${run.id}/job_events/`,
      `job_events/${eventId(run.id, 1)}/`,
      `jobs/${run.id}/stdout/?format=txt`,
      `jobs/${run.id}/job_events/children_summary/`,
    ]) {
      expect((await api.as()('GET', `/api/v2/${path}`)).status, path).to.equal(401);
    }
  });

  describe('standard output', () => {
    const stdout = (query: string, headers?: Record<string, string>) => get(`jobs/${run.id}/stdout/${query}`, headers);
    const plain = () => text.replaceAll(/\x1b\[[0-9;]*m/g, '');

    it('is the same bytes as the engine wrote, with or without colours', async () => {
      const ansi = await stdout('?format=ansi');
      expect(ansi.text).to.equal(text);
      expect(ansi.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect((await stdout('?format=txt')).text).to.equal(plain());
    });

    it('downloads', async () => {
      const [txt, ansi] = [await stdout('?format=txt_download'), await stdout('?format=ansi_download')];
      expect([txt.text, ansi.text]).to.deep.equal([plain(), text]);
      expect(txt.headers.get('content-disposition')).to.equal(`attachment; filename="job_${run.id}.txt"`);
      expect(ansi.headers.get('content-disposition')).to.equal(`attachment; filename="job_${run.id}.ansi.txt"`);
    });

    it('gives ranges as JSON', async () => {
      const lines = text.split('\n');
      const total = lines.length;
      const cases: [string, number, number][] = [
        ['', 0, total],
        ['&start_line=2&end_line=5', 2, 5],
        ['&start_line=-2', total - 2, total],
        ['&start_line=99', total, total],
        ['&end_line=999', 0, total],
        ['&start_line=4&end_line=2', 4, 4],
      ];
      for (const [query, start, end] of cases) {
        const { body } = await stdout(`?format=json${query}`);
        expect(body.range, query).to.deep.equal({ start, end, absolute_end: total });
        expect(body.content, query).to.equal(
          lines
            .slice(start, end)
            .map((line, i) => (start + i === total - 1 ? line : `${line}\n`))
            .join(''),
        );
      }
      expect((await stdout('?format=json&start_line=x')).status).to.equal(400);
      expect(
        Buffer.from((await stdout('?format=json&content_encoding=base64')).body.content, 'base64').toString(),
      ).to.equal(text);
    });

    it('is a page with colours and no markup of its own', async () => {
      const { text: html, headers } = await stdout('?format=html&dark=1');
      expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(html)
        .to.include('<span class="ansi31">fatal</span>: [b]')
        .and.include('&lt;careful&gt; &amp; &quot;so&quot;')
        .and.include('job &lt;one&gt;');
      expect(html).not.to.include('<careful>');
      expect((await stdout('?format=html&start_line=0&end_line=1')).text).not.to.include('fatal');
    });

    it('is chosen by format or Accept', async () => {
      for (const [accept, type] of [
        ['text/plain', 'text/plain'],
        ['application/json', 'application/json'],
        ['text/html,*/*', 'text/html'],
        ['*/*', 'text/html'],
      ] as const) {
        expect((await stdout('', { accept })).headers.get('content-type'), accept).to.include(type);
      }
      expect((await stdout('', { accept: 'image/png' })).status).to.equal(406);
      expect((await stdout('?format=nosuch')).status).to.equal(404);
    });

    it('is empty before the first output', async () => {
      const fresh = await createRun(api.db);
      expect((await get(`jobs/${fresh.id}/stdout/?format=txt`)).text).to.equal('');
      expect((await get(`jobs/${fresh.id}/stdout/?format=json`)).body).to.deep.equal({
        range: { start: 0, end: 0, absolute_end: 0 },
        content: '',
      });
      expect((await get(`jobs/${fresh.id}/job_events/children_summary/`)).body).to.deep.include({
        children_summary: {},
        event_processing_finished: false,
        is_tree: true,
      });
    });

    it('is downloaded, not shown, when it is large', async () => {
      const large = await createRun(api.db);
      const spool = createSpool();
      const all = 'a line of some length\n'.repeat(150_000);
      spool.emit('runner_on_ok', all.slice(0, 22_000), {});
      spool.print(all.slice(22_000));
      await follow({ db: api.db, run: large, spool });
      spool.remove();
      const path = `jobs/${large.id}/stdout/`;
      expect((await get(`${path}?format=txt_download`)).text === all).to.equal(true);
      const { status, text: sentence } = await get(`${path}?format=txt`);
      expect(status).to.equal(200);
      expect(sentence).to.include('3300000').and.include('1048576');
      expect((await get(`${path}?format=json&start_line=1&end_line=2`)).body).to.deep.equal({
        range: { start: 0, end: 1, absolute_end: 1 },
        content: sentence,
      });
    });
  });
});
