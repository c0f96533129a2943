import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { everybody } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

/** No limit of a test is as long: what ends before it was not ended by it. */
const never = 2 ** 31 - 1;

describe('stopping the HTTP server', () => {
  let service: TestService;
  let asked: PromiseWithResolvers<void>;
  let answer: PromiseWithResolvers<void>;

  beforeEach(async () => {
    [asked, answer] = [Promise.withResolvers(), Promise.withResolvers()];
    const slow = testPlugin('slow', (api) =>
      api.route({
        path: '/api/v2/held/',
        access: { GET: everybody },
        handler: async () => {
          asked.resolve();
          await answer.promise;
          return { status: 200, body: { done: true } };
        },
      }),
    );
    service = await bootWith({ plugins: [slow] });
  });
  afterEach(() => service.stop());

  it('answers what is under way, then lets go of connections that their clients would keep', async () => {
    const agent = new Agent({ keepAlive: true });
    const sent = request(`${service.url}/api/v2/held/`, { agent }).end();
    await asked.promise;
    const closed = service.services.http.close(never);
    answer.resolve();
    const [response] = await once(sent, 'response');
    expect(JSON.parse(await text(response))).to.deep.equal({ done: true });
    await closed;
    agent.destroy();
  });

  it('cuts off what is still under way after its grace', async () => {
    const sent = request(`${service.url}/api/v2/held/`).end();
    const cut = once(sent, 'response').then(
      () => 'answered',
      (error: NodeJS.ErrnoException) => error.code,
    );
    await asked.promise;
    await service.services.http.close(1);
    expect(await cut).to.equal('ECONNRESET');
    answer.resolve();
  });
});
