// A point of one cubic piece, and how far a point is from a curve. Curves are x0, y0, then six numbers a piece.

export function curvePoint(curve: number[], piece: number, at: number): [number, number] {
  const base = 6 * piece;
  const rest = 1 - at;
  const value = (axis: number) =>
    rest ** 3 * curve[base + axis] +
    3 * rest ** 2 * at * curve[base + 2 + axis] +
    3 * rest * at ** 2 * curve[base + 4 + axis] +
    at ** 3 * curve[base + 6 + axis];
  return [value(0), value(1)];
}

// Infinity when it is certainly further than `limit`.
export function distanceToCurve(curve: number[], x: number, y: number, limit: number): number {
  let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
  for (let k = 0; k < curve.length; k += 2) {
    left = Math.min(left, curve[k]);
    right = Math.max(right, curve[k]);
    top = Math.min(top, curve[k + 1]);
    bottom = Math.max(bottom, curve[k + 1]);
  }
  if (x < left - limit || x > right + limit || y < top - limit || y > bottom + limit) return Infinity;
  let nearest = Infinity;
  let [px, py] = [curve[0], curve[1]];
  const steps = 12;
  for (let piece = 0; piece < (curve.length - 2) / 6; ++piece)
    for (let k = 1; k <= steps; ++k) {
      const [qx, qy] = curvePoint(curve, piece, k / steps);
      const length = (qx - px) ** 2 + (qy - py) ** 2 || 1;
      const share = Math.max(0, Math.min(1, ((x - px) * (qx - px) + (y - py) * (qy - py)) / length));
      nearest = Math.min(nearest, Math.hypot(px + share * (qx - px) - x, py + share * (qy - py) - y));
      [px, py] = [qx, qy];
    }
  return nearest;
}
