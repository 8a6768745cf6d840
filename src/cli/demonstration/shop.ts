import { defineJobs, payload } from "../../client/registry.ts";

/**
 * What the demonstration is about: a small shop that prints photo books.
 *
 * An order goes through three queues: it is received in `orders`, charged in `payments`, and sent
 * from `shipping` once its books, jobs of their own, are printed. Whatever happens to an order is
 * told by its number alone, so that a second run of a job finds the same.
 */

/** Data of an order; what will go wrong with it can be read there too. */
export interface Order {
  customer: string;
  books: string[];
  total: string;
  card: "good" | "declined" | "slow" | "unreachable";
  address: "good" | "unknown";
}

export interface Book {
  order: string;
  title: string;
  pages: number;
  paper: "good" | "thin" | "damp";
}

export interface Letter {
  to: string;
  about: string;
}

export const jobs = defineJobs({
  order: payload<Order>(),
  "book.print": payload<Book>(),
  "mail.confirmation": payload<Letter>(),
  "mail.review": payload<Letter>(),
  "mail.newsletter": payload<Letter>(),
  "report.sales": payload<object>(),
  "report.audit": payload<object>(),
  "return.refund": payload<{ order: string }>(),
  "return.inspect": payload<{ order: string; says: string }>(),
  "shop.visitors": payload<object>(),
  "shop.support": payload<object>(),
});
export type ShopJobs = typeof jobs;

export const CUSTOMERS = [
  "alpine-club",
  "city-museum",
  "nora-lind",
  "school-no-9",
  "studio-kay",
  "wedding-barn",
  "old-harbour",
  "paul-okafor",
] as const;

const TITLES = [
  "Summer in Lisbon",
  "Our wedding",
  "Class of the year",
  "Peaks and passes",
  "Grandmother at ninety",
  "The harbour by night",
  "A year with Bruno",
  "Winter light",
];

/** The customer whose orders are followed. */
export const FOLLOWED = CUSTOMERS[2];
/** What support tags a job with before it is tried again: nothing goes wrong with it any more. */
export const MENDED = "mended";
export const EXPRESS = "express";

/** A number from 0 to 1 that is always the same for this word and number. */
export function lot(word: string, number: number): number {
  let mixed = number + 1;
  for (const one of word) mixed = Math.imul(mixed ^ one.charCodeAt(0), 0x9e3779b1) ^ (mixed >>> 15);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
}

const pick = <One>(from: readonly One[], word: string, number: number): One =>
  from[Math.floor(lot(word, number) * from.length)]!;

/** The order of that number. */
export function orderOf(number: number): Order {
  const count = 1 + Math.floor(lot("count", number) ** 2 * 4);
  const books = Array.from({ length: count }, (_, i) => pick(TITLES, "title", number * 7 + i));
  return {
    customer: pick(CUSTOMERS, "customer", number),
    books,
    total: `${(books.length * 29 + lot("total", number) * 20).toFixed(2)} EUR`,
    card: cardOf(number),
    address: number % 19 === 6 ? "unknown" : "good",
  };
}

function cardOf(number: number): Order["card"] {
  if (number % 11 === 3) return "declined";
  if (number % 31 === 8) return "unreachable";
  return number % 7 === 2 ? "slow" : "good";
}

/** Orders with an odd wish: every sixth is wanted soon. */
export const isExpress = (number: number) => number % 6 === 1;

/** The books of an order; paper that is thin tears once, damp paper always. */
export function booksOf(order: string, { books }: Order): Book[] {
  const number = numberOf(order);
  const paper = number % 37 === 10 ? "damp" : number % 9 === 4 ? "thin" : "good";
  return books.map((title, i) => ({
    order,
    title,
    pages: 24 + 4 * Math.floor(lot("pages", number * 5 + i) * 13),
    paper: i === 0 ? paper : "good",
  }));
}

export const orderJid = (number: number) => `order-${number}`;
export const numberOf = (order: string) => Number(order.replace(/^order-/, ""));
export const bookJid = (order: string, i: number) => `book-${numberOf(order)}-${i + 1}`;
