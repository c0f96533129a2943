import { expect } from 'chai';
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { describeWith } from '../support/needs.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type IrcServer, ircServer, longChannel } from './irc-server.ts';
import { type HttpTarget, httpTarget, type MailTarget, mailTarget } from './servers.ts';

/** Each kind, end to end: a template by the API, its test from the queue, and what a server of its protocol was told. */
describe('kinds of notifications', () => {
  let service: TestService;
  let http: HttpTarget;
  let mail: MailTarget;
  let organization: number;
  let made = 0;

  before(async () => {
    service = await startService();
    [http, mail] = await Promise.all([httpTarget(), mailTarget()]);
    organization = (await service.get('organizations/')).body.results[0].id;
  });
  after(async () => {
    await service?.stop();
    await Promise.all([http?.stop(), mail?.stop()]);
  });
  const allow = (networks: string[]) =>
    service.request('PATCH', '/api/v2/settings/system/', { body: { OUTBOUND_ALLOWED_NETWORKS: networks } });
  beforeEach(async () => {
    await allow(['127.0.0.1']);
    http.answer = () => ({});
    http.seen.length = 0;
  });

  async function template(notification_type: string, notification_configuration: object): Promise<number> {
    const name = `${notification_type} ${(made += 1)}`;
    const body = { name, organization, notification_type, notification_configuration };
    const answer = await service.post('notification_templates/', body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body.id;
  }

  const ended = (id: number): Promise<any> =>
    until(
      async () => {
        const { body } = await service.get(`notifications/${id}/`);
        return body.status === 'pending' ? undefined : body;
      },
      60_000,
      `notification ${id} ended`,
    );

  /** Resolves to the notification once it has ended. */
  async function tested(notification_type: string, configuration: object): Promise<any> {
    const id = await template(notification_type, configuration);
    const answer = await service.post(`notification_templates/${id}/test/`);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(202);
    expect(answer.body).to.deep.include({ id: answer.body.notification, status: 'pending', notification_template: id });
    return ended(answer.body.notification);
  }

  const delivered = async (type: string, configuration: object): Promise<any> => {
    const notification = await tested(type, configuration);
    expect(notification, JSON.stringify(notification)).to.include({ status: 'successful', error: '' });
    expect(notification.attempts).to.have.length(1);
    expect(notification.attempts[0]).to.include({ outcome: 'delivered' });
    return notification;
  };
  const refused = async (type: string, configuration: object): Promise<any> => {
    const notification = await tested(type, configuration);
    expect(notification.status).to.equal('failed');
    return notification;
  };
  const jsonOf = (index = 0) => JSON.parse(http.seen[index]!.body);

  it('email: with a password over SMTP, and with whom the server refuses', async () => {
    const server = { host: '127.0.0.1', port: mail.port, use_tls: false, use_ssl: false, sender: 'tap@example.org' };
    const configuration = { ...server, username: 'me', password: 'pass word', recipients: ['a@x.org', 'b@x.org'] };
    const notification = await delivered('email', configuration);
    expect(notification).to.include({ recipients: `['a@x.org', 'b@x.org']` });
    expect(mail.mails).to.have.length(1);
    expect(mail.mails[0]).to.deep.include({ user: 'me', from: 'tap@example.org', to: ['a@x.org', 'b@x.org'] });
    expect(mail.mails[0]!.text).to.match(/^Subject: Test of the notification/m);
    const strange = await refused('email', { ...configuration, password: 'open sesame' });
    expect(strange.error).to.include('Who are you?').and.not.include('sesame');
    const partly = await refused('email', { ...configuration, recipients: ['c@x.org', 'nobody@x.org'] });
    expect(partly.error).to.include('1 of 2').and.include('nobody@x.org');
    // nobody trusts the certificate that the server shows
    const untrusted = await refused('email', { ...configuration, use_tls: true });
    expect(untrusted.error).to.match(/certificate/i);
  });

  it('webhook: JSON with headers and basic authentication, sent on only without them', async () => {
    const configuration = {
      url: `${http.url}/in`,
      headers: { 'X-Key': 'abcdef-secret' },
      http_method: 'put',
      username: 'u',
      password: 'very secret',
    };
    const other = await httpTarget();
    http.answer = ({ url }) =>
      url === '/in'
        ? { status: 307, headers: { location: '/on' } }
        : { status: 301, headers: { location: `${other.url}/far` } };
    other.answer = () => ({ body: 'thanks, very secret, abcdef-secret' });
    const notification = await delivered('webhook', configuration);
    expect(http.seen.map(({ method, url }) => `${method} ${url}`)).to.deep.equal(['PUT /in', 'PUT /on']);
    expect(http.seen[1]!.headers).to.include({ 'x-key': 'abcdef-secret', 'content-type': 'application/json' });
    expect(http.seen[1]!.headers.authorization).to.equal(`Basic ${Buffer.from('u:very secret').toString('base64')}`);
    expect(other.seen[0]!.headers).to.not.have.any.keys('x-key', 'authorization');
    expect(JSON.parse(other.seen[0]!.body)).to.have.all.keys('body');
    expect(notification).to.not.have.property('subject');
    expect(notification.body).to.have.all.keys('body');
    expect(notification.attempts[0].answer).to.equal('200 thanks, $encrypted$, $encrypted$');
    await other.stop();
    http.answer = () => ({ status: 307, headers: { location: '/again' } });
    expect((await refused('webhook', configuration)).error).to.include('more than 5');
  });

  it('slack: each channel, in a thread, with a color', async () => {
    http.answer = () => ({ body: { ok: true, ts: '1.2' } });
    const configuration = {
      token: 'xoxb-secret',
      channels: ['#ops', 'dev,1234.5'],
      hex_color: '#3af',
      api_url: http.url,
    };
    expect(await delivered('slack', configuration)).to.include({ notifications_sent: 2 });
    expect(http.seen[0]).to.deep.include({ method: 'POST', url: '/chat.postMessage' });
    expect(http.seen[0]!.headers.authorization).to.equal('Bearer xoxb-secret');
    expect(jsonOf(0)).to.include({ channel: 'ops' }).and.not.have.property('thread_ts');
    expect(jsonOf(1)).to.include({ channel: 'dev', thread_ts: '1234.5' });
    expect(jsonOf(1).attachments[0]).to.include({ color: '#3af' });
    http.answer = () => ({ body: { ok: false, error: 'invalid_auth' } });
    expect((await refused('slack', configuration)).error)
      .to.include('invalid_auth')
      .and.not.include('xoxb');
  });

  it('mattermost, rocketchat and msteams: their text at the address that is the key', async () => {
    await delivered('mattermost', {
      mattermost_url: `${http.url}/hooks/key`,
      mattermost_no_verify_ssl: false,
      mattermost_channel: 'town',
      mattermost_username: 'tap',
    });
    expect(jsonOf(0)).to.include({ channel: 'town', username: 'tap' }).and.have.property('text');
    await delivered('rocketchat', {
      rocketchat_url: http.url,
      rocketchat_no_verify_ssl: true,
      rocketchat_icon_url: 'i',
    });
    expect(jsonOf(1)).to.include({ icon_url: 'i' }).and.have.property('text');
    await delivered('msteams', { msteams_url: http.url });
    expect(jsonOf(2).attachments[0].content).to.include({ type: 'AdaptiveCard' });
    expect(jsonOf(2).attachments[0].content.body[0].text).to.match(/^Test of/);
  });

  describeWith(['ngircd'], 'irc', () => {
    let irc: IrcServer;
    const server = () => ({ server: '127.0.0.1', port: irc.port, nickname: 'tap', password: 'sesame', use_ssl: false });
    before(async () => (irc = await ircServer()));
    after(() => irc?.stop());
    beforeEach(() => void (irc.heard.length = 0));

    it('registers, joins and says it, to those in a channel and to somebody who is there', async () => {
      await delivered('irc', { ...server(), targets: ['#ops', 'ann'] });
      await until(() => Promise.resolve(irc.heard.length === 2));
      expect(irc.heard[0]).to.match(/^:tap!\S+ PRIVMSG #ops :Test of/);
      expect(irc.heard[1]).to.match(/^:tap!\S+ PRIVMSG ann :Test of/);
    });

    it('tells what the server refuses', async () => {
      const why = async (more: object) => (await refused('irc', { ...server(), targets: ['#ops'], ...more })).error;
      expect(await why({ password: 'sesam' })).to.match(/password/i);
      expect(await why({ targets: ['#closed'] })).to.match(/Cannot join/i);
      expect(await why({ targets: ['bob'] })).to.match(/No such nick/i);
      expect(await why({ nickname: 'ann' })).to.match(/in use/i);
      expect(irc.heard).to.deep.equal([]);
    });

    it('says what fits into a line of 512 bytes, in whole characters', async () => {
      const names = ['#ops', longChannel];
      const id = await template('irc', { ...server(), targets: names });
      const [{ id: run }] = await service.services
        .db('runs')
        .insert({ kind: 'job', name: '\u{1F600}'.repeat(200) })
        .returning('id');
      const [row] = await service.services
        .db('notifications')
        .insert({ notification_template_id: id, notification_type: 'irc', run_id: run, event: 'success' })
        .returning('id');
      await service.services.queue.addTask(service.services.db, 'core:notify', { notification: row.id });
      expect((await ended(row.id)).status).to.equal('successful');
      await until(() => Promise.resolve(irc.heard.length === 2));
      for (const [index, line] of irc.heard.entries()) {
        expect(line).to.include(` PRIVMSG ${names[index]} :`);
        expect(line).to.match(/\u{1F600}$/u);
        // so much is left for a host of 63 bytes in the place of the one that the server shows
        const [sender] = line.split(' ');
        const most = 512 - (':tap!tap@'.length + 63 - sender!.length);
        expect(Buffer.byteLength(`${line}\r\n`)).to.be.within(most - 5, most);
      }
      const long = await service.post('notification_templates/', {
        name: 'long',
        organization,
        notification_type: 'irc',
        notification_configuration: { ...server(), targets: [`#${'k'.repeat(100)}`], nickname: 'ä'.repeat(51) },
      });
      expect([long.status, long.body.__all__.length], JSON.stringify(long.body)).to.deep.equal([400, 2]);
    });
  });

  it('pagerduty: an incident by the service key', async () => {
    const configuration = {
      subdomain: 's',
      token: 'pd-secret',
      service_key: 'k',
      client_name: 'tap',
      api_url: http.url,
    };
    const notification = await delivered('pagerduty', configuration);
    expect(http.seen[0]!.url).to.equal('/generic/2010-04-15/create_event.json');
    expect(jsonOf()).to.include({ service_key: 'k', event_type: 'trigger', client: 'tap' });
    expect(jsonOf().incident_key).to.equal(`notification-${notification.id}`);
    http.answer = () => ({ status: 400, body: { status: 'invalid event' } });
    expect((await refused('pagerduty', configuration)).error).to.include('invalid event');
  });

  it('grafana: an annotation with its key', async () => {
    const configuration = {
      grafana_url: `${http.url}/`,
      grafana_key: 'g-secret',
      dashboardId: '7',
      panelId: 3,
      annotation_tags: ['a'],
    };
    await delivered('grafana', configuration);
    expect(http.seen[0]).to.include({ url: '/api/annotations' });
    expect(http.seen[0]!.headers.authorization).to.equal('Bearer g-secret');
    expect(jsonOf()).to.deep.include({ dashboardId: 7, panelId: 3, tags: ['a'], isRegion: true });
  });

  it('twilio: a form for each number', async () => {
    http.answer = ({ body }) => (body.includes('%2B2') ? { status: 400, body: { code: 21211 } } : { status: 201 });
    const configuration = { account_sid: 'AC1', account_token: 't-secret', from_number: '+9', api_url: http.url };
    await delivered('twilio', { ...configuration, to_numbers: ['+1'] });
    expect(http.seen[0]!.url).to.equal('/2010-04-01/Accounts/AC1/Messages.json');
    expect(Object.fromEntries(new URLSearchParams(http.seen[0]!.body))).to.include({ From: '+9', To: '+1' });
    const partly = await refused('twilio', { ...configuration, to_numbers: ['+1', '+2'] });
    expect(partly.error).to.include('1 of 2 have it; +2').and.include('21211');
  });

  it('awssns: published to the topic, signed as AWS wants it', async () => {
    const keys = { accessKeyId: 'AKID', secretAccessKey: 'sns-secret' };
    await delivered('awssns', {
      aws_region: 'eu-west-1',
      aws_access_key_id: keys.accessKeyId,
      aws_secret_access_key: keys.secretAccessKey,
      sns_topic_arn: 'arn:aws:sns:eu-west-1:1:t',
      api_url: http.url,
    });
    const { headers, body } = http.seen[0]!;
    expect(Object.fromEntries(new URLSearchParams(body))).to.include({
      Action: 'Publish',
      TopicArn: 'arn:aws:sns:eu-west-1:1:t',
    });
    const [, names = ''] = /SignedHeaders=([^,]+)/.exec(headers.authorization!) ?? [];
    // by the library of the vendor
    const signer = new SignatureV4({
      applyChecksum: false,
      service: 'sns',
      region: 'eu-west-1',
      credentials: keys,
      sha256: Sha256,
    });
    const date = String(headers['x-amz-date']);
    const again = await signer.sign(
      {
        method: 'POST',
        protocol: 'http:',
        hostname: '127.0.0.1',
        path: '/',
        headers: Object.fromEntries(names.split(';').map((name) => [name, String(headers[name])])),
        body,
      },
      { signingDate: date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'), unsignableHeaders: new Set() },
    );
    const signature = (text: unknown) => /Signature=([0-9a-f]{64})$/.exec(String(text))?.[1];
    expect(signature(headers.authorization)).to.be.a('string');
    expect(signature(headers.authorization)).to.equal(signature(again.headers['authorization']));
  });

  it('are refused before anything is sent where the network is not open', async () => {
    await allow([]);
    const server = { server: '127.0.0.1', port: mail.port, nickname: 'tap', use_ssl: false };
    const box = { host: 'localhost', port: mail.port, use_tls: false, use_ssl: false, sender: 's@x.org' };
    const mails = mail.mails.length;
    for (const [type, configuration] of [
      ['webhook', { url: http.url, headers: {} }],
      ['irc', { ...server, password: 'sesame', targets: ['ann'] }],
      ['email', { ...box, username: '', password: '', recipients: ['a@x.org'] }],
    ] as const)
      expect((await refused(type, configuration)).error, type).to.include('OUTBOUND_ALLOWED_NETWORKS');
    expect([http.seen.length, mail.mails.length]).to.deep.equal([0, mails]);
  });
});
