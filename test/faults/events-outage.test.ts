import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { until } from '../support/until.ts';
import { type OutageService, startOutageService } from './outage-service.ts';

const key = 'outage-key';
const clients = 4;

describe('Postgres away from the receiver of events', function () {
  this.timeout(300_000);
  let service: OutageService;
  before(async () => {
    service = await startOutageService({ TAPLINE_PLUGINS: 'eda' });
    const organization = (await service.get('organizations/?name=Default')).body.results[0].id;
    const common = { organization, source_type: 'webhook_generic', webhook_key: key };
    const made = await service.post('event_rules/', { ...common, name: 'outage', webhook_path: 'outage' });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
  });
  after(() => service?.close());

  async function send(guid: string): Promise<{ status: number; retryAfter: string | null }> {
    const body = JSON.stringify({ event_guid: guid, event_type: 'push' });
    const answer = await fetch(`${service.url}/api/v2/eda_webhooks/outage/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-svc-signature': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
      },
      body,
      signal: AbortSignal.timeout(120_000),
    });
    await answer.arrayBuffer();
    return { status: answer.status, retryAfter: answer.headers.get('retry-after') };
  }

  it('answers 503, and has each event whole and once when its sender has been answered 202 or tried again', async () => {
    const answered = new Map<string, number>();
    const refused: string[] = [];
    let n = 0;
    const stopped = new AbortController();
    const client = async () => {
      while (!stopped.signal.aborted) {
        n += 1;
        const guid = `event-${n}`;
        // each sends as soon as it is answered
        // oxlint-disable-next-line no-await-in-loop
        const { status, retryAfter } = await send(guid);
        answered.set(guid, status);
        if (status !== 503) continue;
        expect(Number(retryAfter)).to.be.greaterThan(0);
        refused.push(guid);
      }
    };
    const sending = Promise.all(Array.from({ length: clients }, client));
    await until(() => answered.size > 20, 60_000, 'events are taken');
    // the start is over: one that loses its database begins anew, and closes its connections
    const judged = async () => (await service.get('event_logs/?status=matched')).body.count > 20;
    await until(judged, 60_000, 'events are judged');
    await service.postgres.stop();
    await until(() => refused.length >= 2 * clients, 60_000, 'events are refused');
    stopped.abort();
    await sending;
    expect(new Set(answered.values())).to.deep.equal(new Set([202, 503]));
    await service.postgres.ensure();
    await until(async () => (await service.get('event_rules/')).status === 200, 60_000, 'the service is back');
    // 409: the answer was lost, and not the event
    for (const guid of refused)
      // one after the other, as a sender does it
      // oxlint-disable-next-line no-await-in-loop
      await until(async () => [202, 409].includes((await send(guid)).status), 60_000, `${guid} is taken`);
    const unfinished = async () => (await service.get('event_logs/?finished__isnull=true')).body.count === 0;
    await until(unfinished, 120_000, 'all are judged');
    expect((await service.get('event_logs/')).body.count).to.equal(answered.size);
    const whole = await service.get(`event_logs/?status=matched&event_type=push`);
    expect(whole.body.count).to.equal(answered.size);
    for (const guid of [...refused, [...answered.keys()][0]!]) {
      // oxlint-disable-next-line no-await-in-loop
      const { results } = (await service.get(`event_logs/?event_guid=${guid}`)).body;
      expect(results, guid).to.have.length(1);
      // oxlint-disable-next-line no-await-in-loop
      const { payload } = (await service.get(`event_logs/${results[0].id}/`)).body;
      expect(payload).to.deep.equal({ event_guid: guid, event_type: 'push' });
    }
    const [rule] = (await service.get('event_rules/?name=outage')).body.results;
    expect(rule.fire_count).to.equal(answered.size);
  });
});
