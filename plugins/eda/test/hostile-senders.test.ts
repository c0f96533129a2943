import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { Pool } from 'undici';
import { until } from '../../../test/support/until.ts';
import { type EventStage, startEvents } from './stage.ts';

const most = 5;

describe('the receiver of events, to senders that mean it harm', function () {
  this.timeout(600_000);
  let stage: EventStage;
  let rule: any;
  let server: Server;

  const began = (message: unknown) => void (server = (message as { server: Server }).server);
  before(async () => {
    stage = await startEvents({ TAPLINE_REQUESTS_PER_ADDRESS: String(most) });
    subscribe('http.server.request.start', began);
    rule = await stage.rule();
    // kept by the stage: it cannot be asked for where no place is left
    await stage.keyOf(rule);
    unsubscribe('http.server.request.start', began);
  });
  after(() => stage?.stop());

  const path = () => `/api/v2/eda_webhooks/${rule.webhook_path}/`;
  const count = async (query = '') =>
    (await stage.get(`event_logs/?event_rule=${rule.id}&${query}`)).body.count as number;

  /** One that says it sends a body, and then sends it byte by byte for as long as it is let. */
  function slowSender(): { ended: Promise<string>; socket: Socket } {
    const socket = connect(Number(new URL(stage.url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk))).on('error', () => undefined);
    socket.write(
      `POST ${path()} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{`,
    );
    const byte = setInterval(() => socket.writable && socket.write(' '), 1000);
    const ended = once(socket, 'close').then(() => {
      clearInterval(byte);
      return answer;
    });
    return { ended, socket };
  }

  async function takeAllPlaces() {
    const arrived = Promise.withResolvers<void>();
    let left = most;
    const note = () => {
      left -= 1;
      if (left === 0) arrived.resolve();
    };
    subscribe('http.server.request.start', note);
    const senders = Array.from({ length: most }, slowSender);
    await arrived.promise;
    unsubscribe('http.server.request.start', note);
    expect((await stage.send(rule, {})).status).to.equal(429);
    return senders;
  }

  it('ends those that send a byte a second, and what they held is free again', async () => {
    const { requestTimeout } = server;
    // a minute in earnest
    server.requestTimeout = 5000;
    try {
      const senders = await takeAllPlaces();
      const answers = await Promise.all(senders.map(({ ended }) => ended));
      for (const answer of answers) expect(answer).to.match(/^HTTP\/1\.1 408 /);
      await until(async () => (await stage.send(rule, {})).status === 202, 60_000, 'the places are free');
    } finally {
      server.requestTimeout = requestTimeout;
    }
  });

  it('holds nothing for one that goes away in the middle of its body', async () => {
    const senders = await takeAllPlaces();
    for (const { socket } of senders) socket.destroy();
    await until(async () => (await stage.send(rule, {})).status === 202, 60_000, 'the places are free');
  });

  it('refuses ten thousand wrong signatures, keeps few of them, and hears the right ones meanwhile', async () => {
    const pool = new Pool(stage.url, { connections: most - 1 });
    const headers = { 'content-type': 'application/json', 'x-svc-signature': `sha256=${'0'.repeat(64)}` };
    const statuses = new Map<number, number>();
    let left = 10_000;
    const flood = async () => {
      while (left-- > 0) {
        // so many side by side as there are connections
        // oxlint-disable-next-line no-await-in-loop
        const { statusCode, body } = await pool.request({ method: 'POST', path: path(), headers, body: '{}' });
        // oxlint-disable-next-line no-await-in-loop
        await body.dump();
        statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
      }
    };
    const minute = () => Math.floor(Date.now() / 60_000);
    const from = minute();
    const flooded = Promise.all(Array.from({ length: most - 1 }, flood));
    expect((await stage.event(rule, { event_type: 'push' })).status).to.equal('matched');
    await flooded;
    await pool.close();
    expect([...statuses]).to.deep.equal([[403, 10_000]]);
    // ten for each minute that it took, and one that was begun
    expect(await count('status=signature_failed')).to.be.within(10, 10 * (minute() - from + 2));
  });
});
