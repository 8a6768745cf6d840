import { below, LIMITS, type TotalTimes } from "./queue-totals.ts";

type Labels = Readonly<Record<string, string>>;
type Rows<Value> = readonly (readonly [Labels, Value])[];

/** The text in which Prometheus reads figures that are kept elsewhere, and so cannot be counted here. */
export class Exposition {
  text = "";

  gauge(name: string, help: string, rows: Rows<number>): void {
    this.#metric(name, help, "gauge", rows);
  }

  counter(name: string, help: string, rows: Rows<number>): void {
    this.#metric(name, help, "counter", rows);
  }

  histogram(name: string, help: string, rows: Rows<TotalTimes>): void {
    this.#head(name, help, "histogram");
    for (const [labels, times] of rows) {
      for (const limit of LIMITS) {
        this.#line(`${name}_bucket`, { ...labels, le: String(limit) }, below(times, limit));
      }
      this.#line(`${name}_bucket`, { ...labels, le: "+Inf" }, times.count);
      this.#line(`${name}_sum`, labels, times.sumSeconds);
      this.#line(`${name}_count`, labels, times.count);
    }
  }

  #metric(name: string, help: string, type: string, rows: Rows<number>): void {
    this.#head(name, help, type);
    for (const [labels, value] of rows) this.#line(name, labels, value);
  }

  #head(name: string, help: string, type: string): void {
    this.text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  }

  #line(name: string, labels: Labels, value: number): void {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    this.text += `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}\n`;
  }
}

const escaped = (text: string) =>
  text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
