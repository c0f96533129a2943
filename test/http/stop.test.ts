import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { everybody } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { bootWith, testPlugin } from '../support/plugins.ts';

describe('stopping the HTTP server', () => {
  it('answers what is under way, then lets go of connections that their clients would keep', async function () {
    // far less than the grace after which it would cut them off
    this.timeout(60_000);
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
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
    const service = await bootWith({ plugins: [slow] });
    const agent = new Agent({ keepAlive: true });
    const sent = request(`${service.url}/api/v2/held/`, { agent }).end();
    await asked.promise;
    const closed = service.services.http.close(600_000);
    answer.resolve();
    const [response] = await once(sent, 'response');
    expect(JSON.parse(await text(response))).to.deep.equal({ done: true });
    await closed;
    agent.destroy();
    await service.stop();
  });
});
