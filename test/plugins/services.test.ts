import { OutboundError, points, SandboxError, type PluginApi, type Tracer } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

describe('the services behind the door', () => {
  let service: TestService;
  let api: PluginApi;
  const sent: unknown[] = [];
  const spans: unknown[] = [];

  before(async () => {
    const tracer: Tracer = {
      async span(name, work) {
        const attributes = {};
        const value = await work({ set: (more) => void Object.assign(attributes, more) });
        spans.push({ name, attributes });
        return value;
      },
    };
    service = await bootWith({
      plugins: [
        testPlugin('asker', (given) => void (api = given)),
        testPlugin('giver', (given) => {
          given.offer(points.tracer, tracer);
          given.offer(points.notificationKind, { kind: 'pigeon', send: (message) => void sent.push(message) });
        }),
      ],
    });
  });
  after(() => service.stop());

  it('evaluate and render what users wrote', async () => {
    expect(await api.sandbox.evaluate('a + 1', { a: 2 })).to.equal(3);
    expect(await api.sandbox.render('{{ a }}!', { a: 'x' })).to.equal('x!');
    const error = await api.sandbox.evaluate('a +', {}).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(SandboxError).and.include({ kind: 'syntax' });
  });

  it('ask addresses only where the settings let them', async () => {
    const refused = await api.http.request(service.url).catch((reason: unknown) => reason);
    expect(refused).to.be.instanceOf(OutboundError);
    expect((await api.http.request(`${service.url}/api/v2/ping/`, { trusted: true })).status).to.equal(200);
    await service.request('PATCH', '/api/v2/settings/system/', { body: { OUTBOUND_ALLOWED_NETWORKS: ['127.0.0.1'] } });
    expect((await api.http.request(`${service.url}/api/v2/ping/`)).status).to.equal(200);
  });

  it('notify by the kinds that plugins offer', async () => {
    const message = { configuration: { loft: 7 }, subject: 's', body: 'b' };
    await api.notify.send({ kind: 'pigeon', ...message });
    expect(sent).to.deep.equal([message]);
    const error = (await api.notify.send({ kind: 'smoke', ...message }).catch((reason: unknown) => reason)) as Error;
    expect(error.message).to.include('"smoke"').and.include('pigeon');
  });

  it('trace by the tracer that a plugin offers', async () => {
    expect(await api.tracer.span('work', (span) => (span.set({ n: 1 }), 5))).to.equal(5);
    expect(spans).to.deep.equal([{ name: 'work', attributes: { n: 1 } }]);
  });
});
