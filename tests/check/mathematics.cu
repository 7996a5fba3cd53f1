/* CUDA's mathematical functions, its functions with a rounding mode, and its functions on parts of a word. */
// expect: right
#include <cmath>

#define NEAR(value, wanted) (fabs((double)(value) - (wanted)) <= 1e-6 * fabs(wanted) + 1e-12)
#define CHECK(condition)                                                                                     \
    if (!(condition))                                                                                        \
    *wrong = __LINE__

/* The expected numbers are from tables of the functions (Abramowitz and Stegun) and from CUDA's
 * documentation. */
__global__ void compute(int *wrong)
{
    CHECK(sinpif(1.5f) == -1 && cospi(1.0) == -1 && sinpi(1e10) == 0);
    CHECK(NEAR(erfinv(0.5), 0.476936276204470) && NEAR(erfinv(-0.999), -2.326753765513525) &&
          NEAR(erfinvf(0.5f), (float)0.476936276) && erfinv(1.0) > 1e300);
    CHECK(NEAR(erfcinv(1e-100), 15.0655747024) && NEAR(erfcinv(1.9), -1.163087153676674));
    CHECK(NEAR(normcdf(1.0), 0.841344746068543) && NEAR(normcdfinv(0.975), 1.959963984540054));
    CHECK(NEAR(erfcx(1.0), 0.427583576155807) && NEAR(erfcx(20.0), 0.0281743487410513));
    CHECK(NEAR(cyl_bessel_i0(1.0), 1.266065877752008) && NEAR(cyl_bessel_i1f(2.0f), 1.590636854637329));
    CHECK(NEAR(rcbrtf(8), 0.5) && NEAR(norm3d(2, 3, 6), 7) && NEAR(rnorm4d(1, 1, 1, 1), 0.5));
    CHECK(__drcp_ru(3.0) > __drcp_rd(3.0) && __drcp_rn(4.0) == 0.25);
    CHECK(__fadd_ru(1, 1e-10f) > 1 && __fadd_rd(1, 1e-10f) == 1 &&
          __fmul_rz(0.1f, 0.1f) < 0.1f * 0.1f + 1e-9f);
    CHECK(__float2int_rn(2.5f) == 2 && __float2int_ru(2.1f) == 3 && __float2int_rd(-2.1f) == -3);
    CHECK(__float2uint_rz(-3) == 0 && __double2int_rz(1e20) == 0x7fffffff && __float2int_rn(NAN) == 0);
    CHECK(__double2float_ru(1 + 1e-12) > 1 && __ll2double_rn(1ll << 62) == 0x1p62);
    CHECK(__hiloint2double(__double2hiint(-1.5), __double2loint(-1.5)) == -1.5);
    CHECK(__vabs2(0xffff8000) == 0x00018000 && __vabsss2(0xffff8000) == 0x00017fff);
    CHECK(__vaddus4(0xff01ff01, 0x01010101) == 0xff02ff02 && __vsub4(0x00000001, 0x00000002) == 0x000000ff);
    CHECK(__vcmpgts2(0x00018000, 0) == 0xffff0000 && __vsetltu4(0x01020304, 0x02020202) == 0x01000000);
    CHECK(__vsadu4(0x01020304, 0x04030201) == 8 && __vavgu2(0x00010003, 0x00020004) == 0x00020004);
    CHECK(__vabsdiffs4(0x7f000000, 0x80000000) == 0xff000000 &&
          __vmins2(0xffff0001, 0x00000002) == 0xffff0001);
    CHECK(__brevll(1) == 1ull << 63 && __mul64hi(-1, 1) == -1 && __umul24(0x1000001, 2) == 2);
    CHECK(__sad(-1, 1, 3) == 5 && __rhadd(-3, 0) == -1 && __fns(0xf0, 0, 2) == 5);
    CHECK(__funnelshift_lc(1, 2, 40) == 1 && __funnelshift_rc(1, 2, 40) == 2);
    CHECK(__funnelshift_l(0x80000001, 2, 33) == 5 && __funnelshift_r(0x80000001, 3, 33) == 0xc0000000);
    CHECK(__dp4a((int)0xff010203, 0x01010101, 0) == 5);
}

int main()
{
    int *wrong, line;
    cudaMallocManaged(&wrong, sizeof *wrong);
    *wrong = 0;
    compute<<<1, 1>>>(wrong);
    cudaDeviceSynchronize();
    line = *wrong;
    return line;
}
