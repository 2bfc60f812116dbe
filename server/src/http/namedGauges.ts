/** Gauges whose values are read together at each scrape. */
import { Gauge, type Registry } from 'prom-client';

/** `pick`: null if there is nothing to show. */
export type NamedGauge<Measures> = {
  name: string;
  help: string;
  pick: (measures: Measures) => number | null;
};

/** Adds gauges that show the same moment in each scrape. Shows nothing that cannot be read. */
export function addGauges<Measures>(
  registry: Registry,
  gauges: readonly NamedGauge<Measures>[],
  read: () => Promise<Measures | null>,
): void {
  let reading: Promise<Measures | null> | null = null;
  const readOnce = () => {
    reading ??= read()
      .catch(() => null)
      .finally(() => {
        reading = null;
      });
    return reading;
  };
  for (const { name, help, pick } of gauges) {
    new Gauge({
      name: `tapedeck_${name}`,
      help,
      registers: [registry],
      async collect() {
        const measures = await readOnce();
        const value = measures === null ? null : pick(measures);
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  }
}

/** Adds a gauge under its earlier name, which mixed several units. The next version removes it. */
export function addDeprecatedGauge<Measures>(
  registry: Registry,
  { name, gauges }: { name: string; gauges: Readonly<Record<string, NamedGauge<Measures>>> },
  read: () => Promise<Measures | null>,
): void {
  const names = Object.values(gauges).map(gauge => `tapedeck_${gauge.name}`);
  new Gauge({
    name: `tapedeck_${name}`,
    help: `Deprecated; the next version removes it. Use ${names.join(', ')}.`,
    labelNames: ['what'],
    registers: [registry],
    async collect() {
      this.reset();
      const measures = await read().catch(() => null);
      if (measures === null) return;
      for (const [what, { pick }] of Object.entries(gauges)) {
        const value = pick(measures);
        if (value !== null) this.labels(what).set(value);
      }
    },
  });
}
