import { expect } from 'chai';
import { clientAddress } from '../../core/http/client-address.ts';
import { type Api, startApi } from '../support/api.ts';

const from = (remoteAddress: string, headers: Record<string, string>, proxies: string[], names: string[]) =>
  clientAddress(
    {
      settings: {
        get: (key) => (key === 'PROXY_IP_ALLOWED_LIST' ? proxies : names),
      },
    },
    { headers, socket: { remoteAddress } },
  );

describe('the address of a client', () => {
  const forwarded = ['HTTP_X_FORWARDED_FOR', 'REMOTE_ADDR'];

  it('is that of the connection, whatever headers say, unless a proxy is named', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    expect(from('198.51.100.1', headers, [], forwarded)).to.equal('198.51.100.1');
    expect(from('198.51.100.1', headers, ['10.0.0.0/8'], forwarded)).to.equal('198.51.100.1');
    expect(from('10.1.2.3', headers, ['10.0.0.0/8'], ['REMOTE_ADDR', 'REMOTE_HOST'])).to.equal('10.1.2.3');
  });

  it('is what the proxy says, and what clients wrote into the header before does not count', () => {
    const say = (text: string, names = forwarded) =>
      from('::ffff:10.1.2.3', { 'x-forwarded-for': text, 'x-real-ip': '203.0.113.7' }, ['10.0.0.0/8'], names);
    expect(say('203.0.113.9')).to.equal('203.0.113.9');
    expect(say('1.1.1.1, 203.0.113.9, 10.9.9.9')).to.equal('203.0.113.9');
    expect(say('2001:db8::1')).to.equal('2001:db8::1');
    for (const nonsense of ['', 'unknown', '203.0.113.9, <script>', '10.9.9.9'])
      expect(say(nonsense), nonsense).to.equal('::ffff:10.1.2.3');
    expect(say('unknown', ['HTTP_X_FORWARDED_FOR', 'HTTP_X_REAL_IP'])).to.equal('203.0.113.7');
  });

  describe('in the service', () => {
    let api: Api;
    before(async () => (api = await startApi()));
    after(() => api.stop());

    it('is believed from a named proxy, for the count of failed logins', async () => {
      const setting = (body: object) => api.admin('PATCH', '/api/v2/settings/system/', body);
      expect((await setting({ REMOTE_HOST_HEADERS: forwarded, PROXY_IP_ALLOWED_LIST: ['127.0.0.1'] })).status).to.equal(
        200,
      );
      const fail = (address: string) =>
        api.as(`Basic ${btoa('mallory:wrong')}`)('GET', '/api/v2/me/', undefined, { 'x-forwarded-for': address });
      for (let attempt = 0; attempt < 10; attempt++) expect((await fail('203.0.113.1')).status).to.equal(401);
      expect((await fail('203.0.113.1')).status).to.equal(429);
      expect((await fail('203.0.113.2')).status).to.equal(401);
    });

    it('has settings that are checked', async () => {
      for (const body of [{ REMOTE_HOST_HEADERS: ['x-forwarded-for'] }, { PROXY_IP_ALLOWED_LIST: ['proxy.example'] }]) {
        const answer = await api.admin('PATCH', '/api/v2/settings/system/', body);
        expect(answer.status, answer.text).to.equal(400);
        expect(Object.keys(answer.body)).to.deep.equal(Object.keys(body));
      }
    });
  });
});
