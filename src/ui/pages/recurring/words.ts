/** Cron expressions that are easily said; any other is told by its next runs. */

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MACROS: Record<string, string> = {
  "@hourly": "every hour",
  "@daily": "every day at midnight",
  "@weekly": "every Sunday at midnight",
  "@monthly": "on the first of every month",
  "@yearly": "on the first of January",
};

const two = (text: string) => text.padStart(2, "0");

function daysOf(day: string, month: string, weekday: string): string | undefined {
  if (day === "*" && month === "*") {
    if (weekday === "*") return "every day";
    if (weekday === "1-5") return "every weekday";
    if (weekday === "0,6" || weekday === "6,0") return "at weekends";
    const name = /^[0-7]$/.test(weekday) ? WEEKDAYS[Number(weekday) % 7] : undefined;
    return name === undefined ? undefined : `every ${name}`;
  }
  if (/^\d+$/.test(day) && month === "*" && weekday === "*") return `on day ${day} of every month`;
  return undefined;
}

/** What an expression means, in English; that it is one, if it is not among the plain ones. */
export function cronWords(cron: string): string {
  const macro = MACROS[cron.trim()];
  if (macro !== undefined) return macro;
  const [minute = "", hour = "", day = "", month = "", weekday = "", more] = cron
    .trim()
    .split(/\s+/);
  if (more !== undefined) return "by the calendar, to the second";
  const days = daysOf(day, month, weekday);
  if (days === undefined) return "by the calendar";
  if (/^\d+$/.test(minute) && /^\d+$/.test(hour)) return `${days} at ${two(hour)}:${two(minute)}`;
  if (/^\d+$/.test(minute) && hour === "*") return `${days}, each hour at ${minute} past`;
  const step = /^\*\/(\d+)$/.exec(minute)?.[1];
  if (step !== undefined && hour === "*") return `${days}, every ${step} minutes`;
  if (minute === "*" && hour === "*") return `${days}, every minute`;
  return days;
}
