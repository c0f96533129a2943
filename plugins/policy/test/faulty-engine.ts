import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** What an engine may do that is out of order. Of a fault no real one is at hand. */
export const faults: Record<string, Answer> = {
  'is silent': () => undefined,
  'answers 500': (response) => void response.writeHead(500).end('{"code":"internal_error"}'),
  'answers garbage': (response) => void response.writeHead(200).end('<html>'),
  'answers nothing': (response) => void response.writeHead(200).end(),
  'answers a list': (response) => void response.writeHead(200).end('[]'),
  'answers half': (response) => void response.writeHead(200, { 'content-length': '100' }).end('{"result": {'),
  'sends elsewhere': (response) => void response.writeHead(307, { location: `${elsewhere}/v1/data/echo` }).end(),
  'hangs up': (response) => void response.destroy(),
};

let elsewhere = '';

export interface FaultyEngine {
  url: string;
  fault: Answer;
  stop(): Promise<void>;
}

/** @param real where it sends callers that follow redirects */
export async function startFaultyEngine(real: string): Promise<FaultyEngine> {
  elsewhere = real;
  const engine = { fault: faults['is silent']! } as FaultyEngine;
  const server = createServer((request, response) => engine.fault(response, request)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  engine.url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  engine.stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return engine;
}
