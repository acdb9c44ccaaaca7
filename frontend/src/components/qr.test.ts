import { expect, test } from "vitest";

import { qrCode } from "./qr";

const drawn = (text: string) => qrCode(text)!.map((row) => row.map((isDark) => (isDark ? "#" : ".")).join(""));

test("a code is as large as its text requires, up to the largest version", () => {
  expect(drawn("a").length).toBe(21);
  expect(drawn("a".repeat(14)).length).toBe(21);
  expect(drawn("a".repeat(15)).length).toBe(25);
  expect(drawn("http://192.168.1.20:8460/#code=Qm9uam91ci1sZS1tb25kZS1jb2Rl").length).toBe(33);
  expect(drawn("ä".repeat(106)).length).toBe(57);
  expect(qrCode("a".repeat(214))).toBeUndefined();
});

test("three corners have finder patterns, with timing patterns between them", () => {
  const rows = drawn("http://127.0.0.1:8460/#code=abc");
  const finder = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"];
  const corner = (top: number, left: number) => rows.slice(top, top + 7).map((row) => row.slice(left, left + 7));
  expect(corner(0, 0)).toEqual(finder);
  expect(corner(0, rows.length - 7)).toEqual(finder);
  expect(corner(rows.length - 7, 0)).toEqual(finder);
  expect(rows[6]!.slice(7, -7)).toMatch(/^(\.#)*\.$/);
});

test("a complete code that another program has read", () => {
  expect(drawn("voxpilot")).toEqual([
    "#######.#..#..#######",
    "#.....#...#.#.#.....#",
    "#.###.#.####..#.###.#",
    "#.###.#..#..#.#.###.#",
    "#.###.#..##.#.#.###.#",
    "#.....#.###...#.....#",
    "#######.#.#.#.#######",
    ".........#.#.........",
    "#.#...##..###..#..#.#",
    "#.#..#.#..#..#.####.#",
    "#...#.##.#...##.#...#",
    ".#.##.......#..###..#",
    "##....#.#....##.....#",
    "........#.##.##.#.###",
    "#######.#.####..###.#",
    "#.....#..#.#.##..#...",
    "#.###.#..#.####....#.",
    "#.###.#..##.....#....",
    "#.###.#.##....#.#####",
    "#.....#..##.#..#.#...",
    "#######.#.#...##.#..#",
  ]);
});
