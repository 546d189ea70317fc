import { assertEquals } from "@std/assert";
import { assertLinear } from "../../../../scripts/testing/linear.ts";
import { findCredential, looksLikeCredential } from "./credentials.ts";

// Made-up values, assembled so that no scanner takes this file for a leak.
const TAIL = "4fG7hJ2kL9mN3pQ6rS8tU1vW5xY0zA2bC4dE";

const CREDENTIALS: Record<string, readonly string[]> = {
  "a Stripe key": ["sk_live_" + TAIL, "sk_test_abcdef", "rk_live_" + TAIL, "use sk_live_" + TAIL + " here"],
  "a GitHub token": [
    "ghp_" + TAIL,
    "gho_" + TAIL,
    "ghs_" + TAIL,
    "github_pat_11ABCDEFG0" + TAIL + "_" + TAIL,
  ],
  "a GitLab token": ["glpat-" + TAIL.slice(0, 20)],
  "a Slack token": [
    "xoxb-1234567890-abcdefghij",
    "xoxp-" + TAIL,
    "xoxa-" + TAIL,
    "xoxr-" + TAIL,
    "xoxs-" + TAIL,
  ],
  "an AWS access key": [
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ASIA" + "IOSFODNN7EXAMPLE",
    "id=AKIA" + "IOSFODNN7EXAMPLE;",
  ],
  "a Google API key": ["AIza" + TAIL.slice(0, 35)],
  "a Google access token": ["ya29." + TAIL],
  "a SendGrid key": [
    "SG." + TAIL.slice(0, 22) + "." + TAIL + "abcdefg",
    "SG.abcdefghijklmnopqrstuv.abcdefghijklmnopqrstuv",
  ],
  "an npm token": ["npm_" + TAIL],
  "a Framed key": ["frk_live_" + TAIL, "frk_" + TAIL],
  "a Framed Connect token": ["fct_" + TAIL, "fcr_" + TAIL, "fcc_" + TAIL],
  "an OpenAI or Anthropic key": ["sk-ant-" + TAIL, "sk-proj-" + TAIL],
  "a JSON Web Token": [
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    "Bearer_eyJhbGci.eyJzdWIi.",
    "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0",
  ],
  "a private key": [
    "-----BEGIN PRIVATE KEY-----\nMIIE",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----",
  ],
  "a user name and password": [
    "https://user:password@ledger.example/",
    "postgres://admin:hunter2@db.example",
    "see //:hunter2@ledger.example",
    "user:password@host.example",
    "admin:hunter2@db.example:5432/ledger",
    "dsn=app:correct-h0rse@10.db.example",
    "user:hunter2@db.example",
    "user:corr.hors.3battery@db.example",
    "user:my.secret1@db.example",
    "user:correct.horse1@db.example:5432",
    "user:correct.horse1@db.example/ledger",
    "https://user:bob.smith1@ledger.example",
    "https://smtp:hunter2@ledger.example",
  ],
};

for (const [name, texts] of Object.entries(CREDENTIALS)) {
  for (const text of texts) {
    Deno.test(`findCredential() finds ${name} in ${text.slice(0, 16)}…`, () =>
      assertEquals(findCredential(text), name));
  }
}

const ORDINARY = [
  "",
  "{{secret}}",
  "Bearer {{secret}}",
  "Token token={{secret}}",
  "https://{{clientId}}:{{secret}}@ledger.example/",
  "The open purchase invoices in the ledger, by supplier.",
  "9f1c2b3a-4d5e-6f70-8192-a3b4c5d6e7f8",
  "123456789012345678901234567890",
  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
  "CONNECTOR_LEDGER",
  "npm_downloads_last_month",
  "npm_packages",
  "fct_orders",
  "fct_invoice_lines_2024",
  "ghs_classification",
  "keys start with frk_live_… or sk_live_…",
  "task-list",
  "sk-SK",
  "ASIA PACIFIC",
  "AKIAS",
  "SG.Singapore",
  "SG.customer_reference_number",
  "eyJhbGciOiJIUzI1NiJ9",
  "-----BEGIN CERTIFICATE-----",
  "-----BEGIN PUBLIC KEY-----",
  "https://ledger.example:8443/path@2x.png",
  "https://ledger.example/?next=a:b@c",
  "mailto:bob@ledger.example",
  "from:bob@ledger.example",
  "Contact: bob@ledger.example",
  "requester:bob.smith1984@ledger.example",
  "name:bob.smith@ledger.example",
  "SMTP:jan.de.vries2@ledger.example",
  "smtp:jan2024@ledger.example",
  "EUM:31201234567@ledger.example",
  "user:bob.smith1@ledger.example",
  "shared with user:bob-smith1@ledger.example, user:eve.jones2@ledger.example.",
  "serviceAccount:build-123@project-1.iam.ledger.example",
  "domain:team2024@ledger.example",
  "Klant:jan2024@ledger.example",
  "lunch 12:30@cafe.example",
  "10:30:15@ledger.example",
  "git@ledger.example:team/repo2.git",
  "image:v1.2.3-alpine@sha256:0123456789abcdef",
  "user:{password}@host.example",
  "see chapter:1@2",
];

for (const text of ORDINARY) {
  Deno.test(`looksLikeCredential() lets ${JSON.stringify(text)} pass`, () =>
    assertEquals(looksLikeCredential(text), false));
}

Deno.test("looksLikeCredential() stays linear on texts made of its own prefixes", () => {
  for (
    const part of [
      "sk_live_",
      "github_pat_",
      "eyJ",
      "eyJ-.",
      "//:",
      "//a",
      "SG.a",
      "xoxb-",
      "-----BEGIN A",
      "npm_a",
      "a:bcdef1@",
      "a:bcdefg@a.",
      "aaaa:",
      "user:a.b",
      "user:a.b1@a.",
    ]
  ) {
    assertLinear(part, 256 * 1024, (length) => {
      const text = part.repeat(Math.ceil(length / part.length));
      return () => looksLikeCredential(text);
    });
  }
});
