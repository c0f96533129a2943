import { X509Certificate } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect } from 'chai';
import { describeWith } from '../support/needs.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { ircServer } from './irc-server.ts';
import { garbageTarget, mailTarget, pem, tlsBefore } from './servers.ts';

/** Mail and IRC over TLS, by a certificate that the operator has the service trust, and servers of mail that talk nonsense. */
describe('notifications over TLS', () => {
  let service: TestService;
  let made = 0;
  const trusted = getCACertificates('default');

  before(async () => {
    service = await startService();
    await service.request('PATCH', '/api/v2/settings/system/', { body: { OUTBOUND_ALLOWED_NETWORKS: ['127.0.0.1'] } });
  });
  // as NODE_EXTRA_CA_CERTS does before the service starts
  beforeEach(() => setDefaultCACertificates([...trusted, new X509Certificate(pem).toString()]));
  afterEach(() => setDefaultCACertificates(trusted));
  after(() => service?.stop());

  async function template(notification_type: string, notification_configuration: object): Promise<number> {
    const name = `${notification_type} ${(made += 1)}`;
    const body = { name, organization: 1, notification_type, notification_configuration };
    const answer = await service.post('notification_templates/', body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body.id;
  }

  /** The notification of a test, which is tried once. */
  async function asked(type: string, configuration: object): Promise<number> {
    const sent = await service.post(`notification_templates/${await template(type, configuration)}/test/`);
    expect(sent.status).to.equal(202);
    return sent.body.notification;
  }

  /** Word of a run, which is tried again. */
  async function noted(type: string, configuration: object): Promise<number> {
    const { db, queue } = service.services;
    const id = await template(type, configuration);
    const [run] = await db('runs').insert({ kind: 'job', name: 'told' }).returning('id');
    const [row] = await db('notifications')
      .insert({ notification_template_id: id, notification_type: type, run_id: run.id, event: 'success' })
      .returning('id');
    await queue.addTask(db, 'core:notify', { notification: row.id });
    return row.id;
  }
  const told = (id: number, test: (body: any) => boolean): Promise<any> =>
    until(
      async () => {
        const { body } = await service.get(`notifications/${id}/`);
        return test(body) ? body : undefined;
      },
      60_000,
      `notification ${id}`,
    );
  const ended = async (type: string, configuration: object) =>
    told(await asked(type, configuration), ({ status }) => status !== 'pending');

  const refusals = (attempts: { outcome: string }[]) => attempts.filter(({ outcome }) => outcome === 'refused').length;

  const mails = {
    host: '127.0.0.1',
    sender: 'tap@example.org',
    recipients: ['a@x.org'],
    use_tls: false,
    use_ssl: false,
  };
  const login = { username: 'me', password: 'pass word' };

  it('email: over STARTTLS, and over TLS from the first byte', async () => {
    for (const secure of [false, true]) {
      const server = await mailTarget({ secure });
      const how = { ...mails, ...login, port: server.port, use_tls: !secure, use_ssl: secure };
      const { status, error } = await ended('email', how);
      expect(`${status} ${error}`, `secure ${secure}`).to.equal('successful ');
      expect(server.mails).to.have.length(1);
      expect(server.mails[0]).to.deep.include({ user: 'me', secure: true });
      setDefaultCACertificates(trusted);
      const untrusted = await ended('email', how);
      expect(untrusted.status).to.equal('failed');
      expect(untrusted.error).to.match(/certificate/i);
      expect(server.mails).to.have.length(1);
      setDefaultCACertificates([...trusted, new X509Certificate(pem).toString()]);
      await server.stop();
    }
  });

  it('email: a server that talks nonsense, or says nothing, is tried again, and recorded', async () => {
    const [nonsense, silent] = [await garbageTarget('nonsense\r\n\r\n'), await garbageTarget('')];
    const ids: number[] = [];
    for (const { port } of [nonsense, silent]) ids.push(await noted('email', { ...mails, ...login, port, timeout: 2 }));
    for (const id of ids) {
      const first = await told(id, ({ attempts }) => refusals(attempts) > 0);
      expect(first.status, JSON.stringify(first)).to.equal('pending');
      expect(first.attempts[0].error).to.be.a('string').and.not.equal('');
    }
    for (const id of ids) await told(id, ({ attempts }) => refusals(attempts) > 1);
    await Promise.all([nonsense.stop(), silent.stop()]);
  });

  describeWith(['ngircd'], 'irc', () => {
    it('says it over TLS', async () => {
      const irc = await ircServer();
      const front = await tlsBefore(irc.port);
      const server = { server: '127.0.0.1', port: front.port, nickname: 'tap', password: 'sesame', targets: ['#ops'] };
      const { status, error } = await ended('irc', { ...server, use_ssl: true });
      expect(`${status} ${error}`).to.equal('successful ');
      await until(() => Promise.resolve(irc.heard.length === 1));
      expect(irc.heard[0]).to.match(/^:tap!\S+ PRIVMSG #ops :Test of/);
      await irc.stop();
      await front.stop();
    });
  });
});
