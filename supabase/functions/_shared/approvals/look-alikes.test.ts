import { assertEquals } from "@std/assert";
import { lookAlikes } from "./look-alikes.ts";

Deno.test("lookAlikes() tells what looks like something else, and nothing of what people write", () => {
  const cases: [string, string[]][] = [
    ["Harbour Bakery, invoice PI-2041 (12.50)", []],
    ["Café Müller – „Zürich“ … 5 € ½ ²", []],
    ["Привет, мы оплатили счёт а не вы", []],
    ["Αθήνα και Πάτρα", []],
    ["東京タワー Tokyo 北京", []],
    ["서울 שלום مرحبا", []],
    ["p\u0430ypal", ["one word mixes Latin and Cyrillic letters"]],
    ["p\u0430ypal and micr\u043esoft", ["2 words mix Latin and Cyrillic letters, each in one word"]],
    ["g\u03bfogle", ["one word mixes Latin and Greek letters"]],
    ["\u0430\u0440\u0440\u04cf\u0435.com", ["reads like Latin letters and is written in Cyrillic ones"]],
    ["\u0391\u0392\u0395", ["reads like Latin letters and is written in Greek ones"]],
    ["ledger.example\u2215pay", ["holds characters that are easily taken for others: U+2215 for /"]],
    ["\uff21\uff22 \u{1d5ba}", [
      "holds characters that are easily taken for others: U+FF21 for A, U+FF22 for B, U+1D5BA for a",
    ]],
    ["\u09ea.50", ["holds digits other than 0 to 9: U+09EA"]],
    ["e\u0301", ["holds letters that are written in another way than they look"]],
    ["x\u0336\u0336\u0336\u0336", ["stacks more than 3 marks on one letter"]],
  ];
  for (const [text, notes] of cases) assertEquals(lookAlikes(text), notes, text);
});
