import { once } from 'node:events';
import { createServer } from 'node:http';

/** An advisory as the OSV protocol has it. */
const advisory = {
  id: 'PYSEC-2018-28',
  summary: 'The package sends credentials to other hosts.',
  details: 'The package sends credentials to other hosts.',
  modified: '2023-11-08T04:00:00Z',
  published: '2018-10-09T17:29:00Z',
  aliases: ['CVE-2018-18074'],
  affected: [
    {
      package: { ecosystem: 'PyPI', name: 'requests' },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '2.20.0' }] }],
      versions: ['2.19.0'],
    },
  ],
};

/** Stands for the service of advisories, which tests do not reach: `requests 2.19.0` has one, nothing else has any. */
export async function startAdvisories() {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const asked = JSON.parse(Buffer.concat(parts).toString()) as { package?: { name?: string }; version?: string };
      const hit = asked.package?.name === 'requests' && asked.version === '2.19.0';
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(hit ? { vulns: [advisory] } : {}));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/v1/query`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
