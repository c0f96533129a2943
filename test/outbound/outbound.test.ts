import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { OutboundError } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { isPublic, isWithin, networkProblem } from '../../core/outbound/addresses.ts';
import { connectOut } from '../../core/outbound/connect.ts';
import { createOutbound } from '../../core/outbound/request.ts';

describe('requests to addresses that users gave', () => {
  let server: Server;
  let port: number;
  let asked: string[];
  let allowed: string[];
  const outbound = createOutbound({ settings: { get: () => allowed }, userAgent: 'Tapline/test' });

  before(async () => {
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers['user-agent']}`);
      if (request.url?.startsWith('/hang')) return;
      if (request.url === '/endless') return void response.write('beginning');
      if (request.url === '/away') response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end();
      else if (request.url === '/long') response.end('x'.repeat(5000));
      else request.pipe(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  after(async () => {
    await outbound.close();
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    asked = [];
    allowed = [];
  });

  const refusal = async (url: string, options = {}): Promise<string> => {
    try {
      await outbound.request(url, options);
    } catch (error) {
      expect(error).to.be.instanceOf(OutboundError);
      return (error as Error).message;
    }
    return '';
  };

  for (const host of ['127.0.0.1', '0', '2130706433', '0x7f.1', '127.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost'])
    it(`refuses ${host} before anything is sent, and names the setting`, async () => {
      expect(await refusal(`http://${host}:${port}/`)).to.include('OUTBOUND_ALLOWED_NETWORKS');
      expect(asked).to.deep.equal([]);
    });

  for (const host of [
    '10.0.0.1',
    '192.168.1.1',
    '172.16.0.1',
    '169.254.169.254',
    '[fe80::1]',
    '[fd00::1]',
    '100.64.0.1',
    '0.0.0.0',
  ])
    it(`refuses ${host}`, async () => {
      expect(await refusal(`http://${host}/`)).to.include('OUTBOUND_ALLOWED_NETWORKS');
    });

  for (const url of ['ftp://example.com/', 'file:///etc/passwd', 'no address', 'http://user:secret@example.com/'])
    it(`refuses ${url}`, async () => {
      expect(await refusal(url)).to.not.equal('');
    });

  it('asks an address of an opened network', async () => {
    allowed = ['127.0.0.0/8'];
    const reply = await outbound.request(`http://127.0.0.1:${port}/echo`, { method: 'POST', body: 'hello' });
    expect(reply.status).to.equal(200);
    expect(reply.body.toString()).to.equal('hello');
    expect(asked).to.deep.equal(['POST /echo Tapline/test']);
  });

  it('asks any address that the deployment gave', async () => {
    expect((await outbound.request(`http://127.0.0.1:${port}/`, { trusted: true })).status).to.equal(200);
  });

  it('judges the very answer that it connects to: a name that means another address each time gains nothing', async () => {
    const { lookup } = dns;
    // an open address, where nobody listens, then the one of the server, which is not open
    allowed = ['127.0.0.2'];
    const answers = ['127.0.0.1', '127.0.0.2'];
    let lookups = 0;
    const changing = (_: string, __: object, callback: (...answer: unknown[]) => void) => {
      lookups += 1;
      callback(null, [{ address: answers[lookups % 2], family: 4 }]);
    };
    dns.lookup = changing as never;
    syncBuiltinESMExports();
    try {
      expect(await refusal(`http://changing.test:${port}/`)).to.include('ECONNREFUSED 127.0.0.2');
      expect(await refusal(`http://changing.test:${port}/`)).to.include(
        'changing.test (127.0.0.1) is not on the public',
      );
      const direct = connectOut({ settings: { get: () => allowed } }, { host: 'changing.test', port });
      expect(await direct.catch((error: Error) => error.message)).to.include('ECONNREFUSED 127.0.0.2');
    } finally {
      dns.lookup = lookup;
      syncBuiltinESMExports();
    }
    expect([lookups, asked]).to.deep.equal([3, []]);
  });

  it('does not follow redirects', async () => {
    allowed = ['127.0.0.1'];
    const reply = await outbound.request(`http://127.0.0.1:${port}/away`);
    expect([reply.status, reply.headers['location']]).to.deep.equal([302, 'http://169.254.169.254/latest/']);
  });

  it('stops reading an answer that is too long', async () => {
    allowed = ['127.0.0.1'];
    expect(await refusal(`http://127.0.0.1:${port}/long`, { maxBytes: 1000 })).to.include('longer than 1000 bytes');
  });

  it('keeps the status of one that is too long or has no end where that is asked for', async () => {
    allowed = ['127.0.0.1'];
    const ask = async (path: string, options = {}) => {
      const { status, body } = await outbound.request(`http://127.0.0.1:${port}/${path}`, { cut: true, ...options });
      return [status, body.toString()];
    };
    expect(await ask('long', { maxBytes: 10 })).to.deep.equal([200, 'x'.repeat(10)]);
    expect(await ask('long')).to.deep.equal([200, 'x'.repeat(5000)]);
    expect(await ask('endless', { timeoutMs: 200 })).to.deep.equal([200, 'beginning']);
    expect(await refusal(`http://127.0.0.1:${port}/endless`, { timeoutMs: 200 })).to.include('did not answer in time');
    expect(await refusal(`http://127.0.0.1:${port}/hang`, { timeoutMs: 50, cut: true })).to.include('in time');
  });

  it('gives up on one that does not answer', async () => {
    allowed = ['127.0.0.1'];
    expect(await refusal(`http://127.0.0.1:${port}/hang?key=canary`, { timeoutMs: 50 }))
      .to.include('did not answer in time')
      .and.not.include('canary');
  });
});

describe('networks', () => {
  it('tell public addresses from all others', () => {
    expect(isPublic('93.184.216.34')).to.equal(true);
    expect(isPublic('2606:2800:220:1::1')).to.equal(true);
    for (const address of ['127.0.0.1', '::1', '::ffff:10.0.0.1', '224.0.0.1', '255.255.255.255', 'x', ''])
      expect(isPublic(address), address).to.equal(false);
  });

  it('hold what is inside them', () => {
    expect(isWithin('10.1.2.3', ['10.0.0.0/8'])).to.equal(true);
    expect(isWithin('::ffff:10.1.2.3', ['10.0.0.0/8'])).to.equal(true);
    expect(isWithin('11.1.2.3', ['10.0.0.0/8', 'fd00::/8'])).to.equal(false);
    expect(isWithin('10.1.2.3', ['10.1.2.3'])).to.equal(true);
  });

  it('say what is wrong with an entry', () => {
    expect(networkProblem('10.0.0.0/8')).to.equal(undefined);
    expect(networkProblem('10.0.0.0/99')).to.include('10.0.0.0/99');
    expect(networkProblem('example.com')).to.include('example.com');
  });
});
