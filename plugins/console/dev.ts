/** The console with changes shown at once, in front of a service that runs elsewhere: `node dev.ts [http://127.0.0.1:8052]`. */
import { createServer } from 'vite';
import { webConfig } from './build.ts';

const target = process.argv[2] ?? 'http://127.0.0.1:8052';
const server = await createServer({
  ...webConfig,
  logLevel: 'info',
  server: { host: '127.0.0.1', port: 5173, proxy: { '/api': { target }, '/websocket': { target, ws: true } } },
});
await server.listen();
server.printUrls();
