import type { PluginApi } from '@tapline/plugin-sdk';
import type { Answer, Answers } from './answers.ts';
import { adapters, type Ask, createAsk, FailedScan } from './ask.ts';
import { type Question, questionOf } from './question.ts';
import { ScanError, type Scanner } from './scanner.ts';
import { scanSettings } from './settings.ts';
import { cutBytes, judged, type Scanned } from './verdict.ts';
import type { Work } from './works.ts';

/** What came of one scanner for one work. */
export type ScannedWork = Scanned & { work: Work };

export type Scan = (
  scanners: readonly Scanner[],
  works: readonly Work[],
  signal: AbortSignal,
) => Promise<ScannedWork[]>;

interface Pair {
  scanner: Scanner;
  work: Work;
  question: Question | ScanError;
}

/** Every scanner about every work: what is known already is looked up at once, the rest is asked work by work. */
export function createScan(api: PluginApi, answers: Answers): Scan {
  const ask = createAsk(api, answers);
  return async (scanners, works, signal) => {
    const rows = await Promise.all(
      works.map((work) => Promise.all(scanners.map((scanner) => pairOf(api, scanner, work)))),
    );
    const known = await answers.find(rows.flat().flatMap(askedOf));
    const scanned: ScannedWork[] = [];
    for (const row of rows)
      // each of them starts programs, as many as there are scanners
      // oxlint-disable-next-line no-await-in-loop
      scanned.push(...(await Promise.all(row.map((pair) => scanPair(api, pair, { known, ask, signal })))));
    return scanned;
  };
}

async function pairOf(api: PluginApi, scanner: Scanner, work: Work): Promise<Pair> {
  const question = await questionOf(api, scanner, work).catch((error: unknown) => {
    if (error instanceof ScanError) return error;
    throw error;
  });
  return { scanner, work, question };
}

const askedOf = ({ question }: Pair): string[] =>
  question instanceof ScanError || question.asked === undefined ? [] : [question.asked];

interface How {
  known: ReadonlyMap<string, Answer>;
  ask: Ask;
  signal: AbortSignal;
}

const scanPair = (api: PluginApi, pair: Pair, how: How): Promise<ScannedWork> =>
  api.tracer.span('scanning.scan', async (span) => {
    const { scanner, work } = pair;
    const known = askedOf(pair).some((asked) => how.known.has(asked));
    const result = await resultOf(api, pair, how);
    span.set({ scanner: scanner.id, tool: scanner.tool, status: result.status, known });
    return { ...result, work };
  });

async function resultOf(api: PluginApi, { scanner, question }: Pair, { known, ask, signal }: How): Promise<Scanned> {
  const started = performance.now();
  const { rawOutputMax } = scanSettings(api);
  const ended = (result: Omit<Scanned, 'scanner' | 'duration_ms'>): Scanned => ({
    ...result,
    raw_output: cutBytes(result.raw_output, rawOutputMax),
    scanner,
    duration_ms: Math.round(performance.now() - started),
  });
  try {
    if (question instanceof ScanError) throw question;
    const { asked = '' } = question;
    const { findings, raw, nothing } = known.get(asked) ?? (await ask(question, signal));
    const verdict = judged(scanner, findings);
    const message = nothing ? adapters[scanner.tool].nothing : verdict.message;
    return ended({ ...verdict, message, raw_output: raw });
  } catch (error) {
    if (!(error instanceof ScanError)) api.log.error({ err: error, scanner: scanner.id }, 'a scanner failed');
    const message = error instanceof ScanError ? error.message : 'The scanner failed; the log says why.';
    const { status, raw } = error instanceof FailedScan ? error : { status: 'error' as const, raw: '' };
    return ended({ status, findings: [], message, raw_output: raw });
  }
}
