// Type of globalThis.__webspEvidence, which evidence.py makes of evidence.yaml; never loaded by a browser.

interface EvidenceTable {
  WORTH: Record<string, Record<string, number>>;
  RULES: { enough: number; least: number; lead: number; sure: number; alone: number; retold: number };
}
