import type { PluginApi } from '@tapline/plugin-sdk';
import { type Claimed, claim, whatWaits } from './claim.ts';
import { endDeliveries } from './end-deliveries.ts';
import type { Send } from './send.ts';
import { settle } from './settle.ts';

/** Requests that one node has under way. */
const mostAtOnce = 100;
/** Of these for webhooks whose latest deliveries failed: they may take all the time that a request has, and the rest is for the others. */
const mostFailing = 50;
/**
 * A target that has not answered by then takes up one of the further places for those that are slow: many that die at one moment
 * count as failing only when their requests have timed out, and keep nobody waiting until then.
 */
const slowAfterMs = 1000;
const mostSlow = 200;
/** What is due by time, or was left by another node, is found so soon. */
const lookMs = 1000;

/** Sends what is due: at once where this node made it, in the background and side by side, so that no target waits for another. */
export class Pump {
  readonly #api: PluginApi;
  readonly #send: Send;
  #underWay = 0;
  #failing = 0;
  #slow = 0;
  #looking = false;
  #again = false;
  #asking = false;
  #ending = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(api: PluginApi, send: Send) {
    this.#api = api;
    this.#send = send;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#lookAround(), lookMs);
    this.#timer.unref();
    this.wake();
  }

  /** What is under way is not waited for: it goes on elsewhere when its lease is over. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  wake(): void {
    if (!this.#timer) return;
    if (this.#looking) this.#again = true;
    else void this.#look();
  }

  /** Mostly there is nothing, and one statement a second says so. */
  async #lookAround(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      const { due, over } = await whatWaits(this.#api);
      if (due) this.wake();
      if (over) void this.#end();
    } catch (err) {
      if (this.#timer) this.#api.log.warn({ err }, 'deliveries could not be looked for');
    } finally {
      this.#asking = false;
    }
  }

  async #end(): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    try {
      // a portion at a time
      // oxlint-disable-next-line no-await-in-loop
      while (this.#timer && (await endDeliveries(this.#api, this.#api.db)));
    } catch (err) {
      if (this.#timer) this.#api.log.warn({ err }, 'deliveries of disabled webhooks could not be ended');
    } finally {
      this.#ending = false;
    }
  }

  async #look(): Promise<void> {
    this.#looking = true;
    try {
      do {
        this.#again = false;
        const free = mostAtOnce - this.#underWay;
        if (free <= 0) break;
        // one question at a time
        // oxlint-disable-next-line no-await-in-loop
        for (const delivery of await claim(this.#api, { all: free, failing: mostFailing - this.#failing }))
          void this.#deliver(delivery);
      } while (this.#again && this.#timer);
    } catch (err) {
      if (this.#timer) this.#api.log.warn({ err }, 'deliveries that are due could not be read');
    } finally {
      this.#looking = false;
    }
  }

  async #deliver(delivery: Claimed): Promise<void> {
    const place = delivery.webhook.failing_since === null ? this.#enter() : this.#enterFailing();
    try {
      const sent = await this.#send(delivery.webhook, delivery);
      place.answered();
      await settle(this.#api, delivery, sent);
    } catch (err) {
      // its lease ends, and it is sent again
      if (this.#timer) this.#api.log.warn({ err, delivery: delivery.id }, 'a delivery could not be noted');
    } finally {
      place.answered();
      place.leave();
      this.wake();
    }
  }

  #enterFailing(): Place {
    this.#underWay += 1;
    this.#failing += 1;
    return {
      answered: () => undefined,
      leave: () => {
        this.#underWay -= 1;
        this.#failing -= 1;
      },
    };
  }

  #enter(): Place {
    this.#underWay += 1;
    let slow = false;
    const timer = setTimeout(() => {
      if (this.#slow >= mostSlow) return;
      slow = true;
      this.#slow += 1;
      this.#underWay -= 1;
      this.wake();
    }, slowAfterMs);
    timer.unref();
    return {
      answered: () => clearTimeout(timer),
      leave: () => {
        if (slow) this.#slow -= 1;
        else this.#underWay -= 1;
      },
    };
  }
}

/** What a request takes up. */
interface Place {
  /** what follows is not the target's time */
  answered(): void;
  leave(): void;
}
