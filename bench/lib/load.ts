import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

export interface Load {
  perSecond: number;
  /** of the process asked, user and system */
  cpuMsPerRequest: number;
}

/** Clock ticks of a process are hundredths of a second on every Linux we know. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** `connections` clients that each ask again as soon as they are answered, for some seconds. */
export async function load(
  { port, pid }: { port: number; pid: number },
  {
    path,
    headers,
    connections,
    seconds,
  }: { path: string; headers: Record<string, string>; connections: number; seconds: number },
): Promise<Load> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  const before = cpuMs(pid);
  const began = performance.now();
  const end = began + seconds * 1000;
  let count = 0;
  const client = async () => {
    while (performance.now() < end) {
      const reply = await pool.request({ method: 'GET', path, headers });
      const text = await reply.body.text();
      if (reply.statusCode !== 200) throw new Error(`GET ${path}: ${reply.statusCode} ${text.slice(0, 200)}`);
      count++;
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const took = (performance.now() - began) / 1000;
  const cpu = cpuMs(pid) - before;
  await pool.close();
  return { perSecond: count / took, cpuMsPerRequest: cpu / count };
}
